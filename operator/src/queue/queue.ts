import { backoffMs } from '@svc-asr/runtime';
import type { BackoffOptions } from '@svc-asr/runtime';
import type { Clock } from './clock.ts';

/**
 * A work queue with the semantics of client-go. It holds keys and not events. A consumer reads the state of a resource
 * when it processes the key, so the state is always the newest.
 *
 * | state of the key | effect of `add` |
 * |------------------|-----------------|
 * | unknown | appended to the queue |
 * | queued | none; one `take` covers all adds |
 * | in flight | queued again after `done` is called for the key; a key is never in flight twice |
 * | delayed | queued at once; the delayed add still happens later |
 * | queued by `addLast` | moved behind the keys that `add` has queued |
 */
export interface WorkQueue {
  add: (key: string) => void;
  /**
   * Adds the key behind all others, for work that is not urgent. A later `add` moves the key forward. If the key is in
   * flight, it is queued again after `done` is called for it, as with `add`.
   */
  addLast: (key: string) => void;
  /** Adds the key after a delay. If a key has several delays, the earliest applies. */
  addAfter: (key: string, delayMs: number) => void;
  /** Counts a failure of the key and adds it after a delay that grows with each failure. */
  retry: (key: string) => void;
  /** Resets the failures of the key. The next retry waits at most the base delay. */
  forget: (key: string) => void;
  /** Returns the number of failures since the last `forget`. */
  failures: (key: string) => number;
  /**
   * Resolves to the next key when there is one, or to undefined if the queue is closed. Call `done` for every key
   * taken.
   */
  take: () => Promise<string | undefined>;
  done: (key: string) => void;
  /** Returns the numbers of keys that are ready, in flight and delayed. */
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
  const ready = createKeyList();
  /** Ready keys that are taken only while `ready` is empty. */
  const last = createKeyList();
  const inFlight = new Set<string>();
  /** Keys in flight that were added again. */
  const readded = new Set<string>();
  const delays = new Map<string, Delay>();
  const failureCounts = new Map<string, number>();
  const takers: ((key: string | undefined) => void)[] = [];
  let closed = false;

  const add = (key: string) => {
    last.delete(key);
    addTo(ready, key);
  };

  const addTo = (list: KeyList, key: string) => {
    if (closed || list.has(key)) return;
    if (inFlight.has(key)) {
      readded.add(key);
      return;
    }
    const taker = takers.shift();
    if (taker === undefined) {
      list.add(key);
    } else {
      inFlight.add(key);
      taker(key);
    }
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
    addLast: (key) => {
      if (!ready.has(key)) addTo(last, key);
    },
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
      const key = ready.shift() ?? last.shift();
      if (key === undefined) return new Promise((resolve) => takers.push(resolve));
      inFlight.add(key);
      return Promise.resolve(key);
    },
    done: (key) => {
      inFlight.delete(key);
      if (readded.delete(key)) add(key);
    },
    depth: () => ({ ready: ready.size() + last.size(), inFlight: inFlight.size, delayed: delays.size }),
    close: () => {
      closed = true;
      for (const { cancel } of delays.values()) cancel();
      delays.clear();
      ready.clear();
      last.clear();
      readded.clear();
      for (const taker of takers.splice(0)) taker(undefined);
    },
  };
}

/** Keys in the order in which they were added. */
interface KeyList {
  has: (key: string) => boolean;
  add: (key: string) => void;
  delete: (key: string) => void;
  /** Removes and returns the oldest key. */
  shift: () => string | undefined;
  size: () => number;
  clear: () => void;
}

function createKeyList(): KeyList {
  const keys = new Set<string>();
  // The iterator is kept from call to call. A new one would first skip all keys that were deleted before, which takes
  // long with tens of thousands of them.
  let next = keys.values();
  return {
    has: (key) => keys.has(key),
    add: (key) => void keys.add(key),
    delete: (key) => void keys.delete(key),
    shift: () => {
      let step = next.next();
      if (step.done === true) {
        // An iterator that has ended does not return keys that are added later.
        next = keys.values();
        step = next.next();
      }
      if (step.done === true) return undefined;
      keys.delete(step.value);
      return step.value;
    },
    size: () => keys.size,
    clear: () => keys.clear(),
  };
}
