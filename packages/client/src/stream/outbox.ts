import { tolerated } from './deferred.ts';

export interface Outbox {
  /** Runs a task after all earlier tasks, even if an earlier task failed. */
  add: <T>(task: () => Promise<T>) => Promise<T>;
  /** Settles when all tasks so far have ended, successfully or not. */
  idle: () => Promise<void>;
}

/** Creates a queue that sends in the order of the calls, even if the caller does not await them. */
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
