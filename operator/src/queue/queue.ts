import { backoffMs } from '@svc-asr/runtime';
import type { BackoffOptions } from '@svc-asr/runtime';
import type { Clock } from './clock.ts';

/**
 * A work queue with the semantics of client-go. It holds keys and not events, so a consumer always reads the newest
 * state.
 *
 * | state of the key | effect of `add` |
 * |------------------|-----------------|
 * | unknown | appended to the queue |
 * | queued | none; one `take` covers all adds |
 * | in flight | queued again after `done`; a key is never in flight twice |
 * | delayed | queued at once; the delayed add still happens later |
 */
export interface WorkQueue {
  add: (key: string) => void;
  /** Adds the key after a delay. If a key has several delays, the earliest applies. */
  addAfter: (key: string, delayMs: number) => void;
  /** Counts a failure of the key and adds it after a delay that grows with each failure. */
  retry: (key: string) => void;
  /** Resets the failures of the key. The next retry waits the base delay again. */
  forget: (key: string) => void;
  /** Number of failures since the last `forget`. */
  failures: (key: string) => number;
  /**
   * Resolves to the next key when there is one, or to undefined if the queue is closed. Call `done` for every key
   * taken.
   */
  take: () => Promise<string | undefined>;
  done: (key: string) => void;
  /** Number of keys that are ready, in flight and delayed. */
  depth: () => { ready: number; inFlight: number; delayed: number };
  /** Closes the queue. Pending and later calls of `take` resolve to undefined, and adds have no effect. */
  close: () => void;
}

interface Delay {
  dueMs: number;
  cancel: () => void;
}

/** Creates a work queue. `random` returns a number in [0, 1) that spreads the retries. */
export function createWorkQueue(clock: Clock, backoff: BackoffOptions, random: () => number = Math.random): WorkQueue {
  /** Ready keys, in the order of insertion. */
  const ready = new Set<string>();
  const inFlight = new Set<string>();
  /** Keys in flight that were added again. */
  const readded = new Set<string>();
  const delays = new Map<string, Delay>();
  const failureCounts = new Map<string, number>();
  /**
   * Continues over `ready` from call to call. A new iterator would first skip all keys that were deleted before, which
   * takes long with tens of thousands of them.
   */
  let next = ready.values();
  const takers: ((key: string | undefined) => void)[] = [];
  let closed = false;

  const add = (key: string) => {
    if (closed || ready.has(key)) return;
    if (inFlight.has(key)) {
      readded.add(key);
      return;
    }
    const taker = takers.shift();
    if (taker === undefined) {
      ready.add(key);
    } else {
      inFlight.add(key);
      taker(key);
    }
  };

  /** Removes and returns the oldest ready key. There must be one. */
  const takeReady = (): string => {
    let step = next.next();
    if (step.done === true) {
      // An iterator that has ended does not see keys that are added later.
      next = ready.values();
      step = next.next();
    }
    const key = step.value as string;
    ready.delete(key);
    return key;
  };

  const addAfter = (key: string, delayMs: number) => {
    if (closed) return;
    const dueMs = clock.nowMs() + delayMs;
    const known = delays.get(key);
    if (known !== undefined && known.dueMs <= dueMs) return;
    known?.cancel();
    const cancel = clock.after(delayMs, () => {
      delays.delete(key);
      add(key);
    });
    delays.set(key, { dueMs, cancel });
  };

  return {
    add,
    addAfter,
    retry: (key) => {
      const failures = (failureCounts.get(key) ?? 0) + 1;
      failureCounts.set(key, failures);
      addAfter(key, backoffMs(failures, backoff, random()));
    },
    forget: (key) => {
      failureCounts.delete(key);
    },
    failures: (key) => failureCounts.get(key) ?? 0,
    take: () => {
      if (closed) return Promise.resolve(undefined);
      if (ready.size === 0) return new Promise((resolve) => takers.push(resolve));
      const key = takeReady();
      inFlight.add(key);
      return Promise.resolve(key);
    },
    done: (key) => {
      inFlight.delete(key);
      if (readded.delete(key)) add(key);
    },
    depth: () => ({ ready: ready.size, inFlight: inFlight.size, delayed: delays.size }),
    close: () => {
      closed = true;
      for (const { cancel } of delays.values()) cancel();
      delays.clear();
      ready.clear();
      readded.clear();
      for (const taker of takers.splice(0)) taker(undefined);
    },
  };
}
