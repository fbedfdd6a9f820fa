import { backoffMs } from '@svc-asr/runtime';
import type { BackoffOptions } from '@svc-asr/runtime';
import type { Clock } from './clock.ts';

/**
 * A work queue with the semantics of client-go's: what is queued is a key, not an event, so whoever takes it looks at
 * the newest state of the world.
 *
 * | a key that is…          | and is added                                                        |
 * |-------------------------|---------------------------------------------------------------------|
 * | unknown                 | is taken after those added before it                                |
 * | queued                  | stays where it is: one take serves all                              |
 * | in flight               | is taken once more after `done`, never beside itself                |
 * | waiting for a delay     | is taken at once; the delayed add comes too and finds it, or is one more look |
 */
export interface WorkQueue {
  add: (key: string) => void;
  /** Adds the key after a delay; of several delays of one key the earliest holds. */
  addAfter: (key: string, delayMs: number) => void;
  /** Counts a failure of the key and adds it after a delay that grows with each. */
  retry: (key: string) => void;
  /** Forgets the key's failures: the next one waits the base delay again. */
  forget: (key: string) => void;
  /** How often the key has failed since it was last forgotten. */
  failures: (key: string) => number;
  /** The next key, when there is one; undefined when the queue is closed. Every key taken must be given to `done`. */
  take: () => Promise<string | undefined>;
  done: (key: string) => void;
  /** Keys ready to be taken, in flight, and waiting for a delay. */
  depth: () => { ready: number; inFlight: number; delayed: number };
  /** Gives out nothing more: takers get undefined, adds do nothing. */
  close: () => void;
}

interface Delay {
  dueMs: number;
  cancel: () => void;
}

/** Makes a work queue; `random` in [0, 1) spreads the retries. */
export function createWorkQueue(clock: Clock, backoff: BackoffOptions, random: () => number = Math.random): WorkQueue {
  /** Sets keep the order of insertion. */
  const ready = new Set<string>();
  const inFlight = new Set<string>();
  /** In flight, and added meanwhile. */
  const again = new Set<string>();
  const delays = new Map<string, Delay>();
  const failureCounts = new Map<string, number>();
  const takers: ((key: string | undefined) => void)[] = [];
  let closed = false;

  const add = (key: string) => {
    if (closed || ready.has(key)) return;
    if (inFlight.has(key)) {
      again.add(key);
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
      const [key] = ready;
      if (key === undefined) return new Promise((resolve) => takers.push(resolve));
      ready.delete(key);
      inFlight.add(key);
      return Promise.resolve(key);
    },
    done: (key) => {
      inFlight.delete(key);
      if (again.delete(key)) add(key);
    },
    depth: () => ({ ready: ready.size, inFlight: inFlight.size, delayed: delays.size }),
    close: () => {
      closed = true;
      for (const { cancel } of delays.values()) cancel();
      delays.clear();
      ready.clear();
      again.clear();
      for (const taker of takers.splice(0)) taker(undefined);
    },
  };
}
