import type { Outcome } from './queue/workers.ts';
import { runWorkers } from './queue/workers.ts';
import type { WorkQueue } from './queue/queue.ts';
import { systemClock } from './queue/clock.ts';
import type { FirstPass } from './reconcile/first-pass.ts';
import type { Result } from './reconcile/outcome.ts';
import { SYNC } from './reconcile/work.ts';
import type { WorkKey } from './reconcile/work.ts';
import type { ResourceSource } from './source/source.ts';

export interface ControllerOptions {
  source: ResourceSource;
  queue: WorkQueue;
  enqueue: (key: WorkKey) => void;
  reconcile: (key: WorkKey) => Promise<void>;
  report: (outcome: Outcome) => Result;
  firstPass: FirstPass;
  /** Reports whether Redis is available now. */
  redisReady: () => boolean;
  concurrency: number;
  resyncMs: number;
}

export interface Controller {
  start: () => Promise<void>;
  /** Resolves when the last reconcile has ended. */
  stop: () => Promise<void>;
}

const REDIS_POLL_MS = 500;

/**
 * Creates the controller. The controller enqueues reconciles periodically, when resources change, and when Redis
 * becomes available again. It also runs the reconciles in the queue.
 */
export function createController(options: ControllerOptions): Controller {
  const { source, queue, enqueue, reconcile, report, firstPass, redisReady, concurrency, resyncMs } = options;
  const timers: NodeJS.Timeout[] = [];
  let working: Promise<void> = Promise.resolve();
  let stopped = false;
  const isStopped = () => stopped;
  return {
    start: async () => {
      // Resources that the source finds while it starts are not enqueued one by one, because the first sync enqueues
      // every resource.
      let isFirstPassDone = false;
      await source.start({
        onChange: (key) => {
          if (isFirstPassDone) enqueue(key);
        },
        onSettled: () => enqueue(SYNC),
      });
      // The controller may have been stopped while the source was unavailable.
      if (isStopped()) return;
      isFirstPassDone = true;
      enqueue(SYNC);
      working = runWorkers({
        queue,
        concurrency,
        work: (key) => reconcile(key as WorkKey),
        onOutcome: (outcome) => firstPass.tried(outcome.key, report(outcome)),
        nowMs: systemClock.nowMs,
      });
      timers.push(setInterval(() => enqueue(SYNC), resyncMs));
      timers.push(watchRecovery(redisReady, () => enqueue(SYNC)));
    },
    stop: async () => {
      stopped = true;
      for (const timer of timers.splice(0)) clearInterval(timer);
      await source.stop();
      queue.close();
      await working;
    },
  };
}

/** Calls `onRecovered` when a dependency becomes available again, so that no work waits for the end of its backoff. */
function watchRecovery(isAvailable: () => boolean, onRecovered: () => void): NodeJS.Timeout {
  let wasAvailable = isAvailable();
  return setInterval(() => {
    const available = isAvailable();
    if (available && !wasAvailable) onRecovered();
    wasAvailable = available;
  }, REDIS_POLL_MS);
}
