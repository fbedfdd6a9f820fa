import { tolerated } from './deferred.ts';

export interface Outbox {
  /** Runs a task after all that were added before it; that one of them fails does not stop the next. */
  add: <T>(task: () => Promise<T>) => Promise<T>;
  /** Settles when everything that was added so far is done, well or not. */
  idle: () => Promise<void>;
}

/** Keeps what is sent in the order in which it was asked for, whether or not the caller waits. */
export function createOutbox(): Outbox {
  let last: Promise<unknown> = Promise.resolve();
  return {
    add: (task) => {
      const done = last.then(task, task);
      last = done;
      return tolerated(done);
    },
    idle: async () => {
      await last.catch(() => undefined);
    },
  };
}
