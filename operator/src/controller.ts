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
  /** Whether Redis can be reached now. */
  redisReady: () => boolean;
  concurrency: number;
  resyncMs: number;
}

export interface Controller {
  start: () => Promise<void>;
  /** Resolves when nothing is being worked on any more. */
  stop: () => Promise<void>;
}

const REDIS_WATCH_MS = 500;

/** Turns changes of the source, the return of Redis and the passing of time into work, and has it done. */
export function createController(options: ControllerOptions): Controller {
  const { source, queue, enqueue, reconcile, report, firstPass, redisReady, concurrency, resyncMs } = options;
  const timers: NodeJS.Timeout[] = [];
  let working: Promise<void> = Promise.resolve();
  let stopped = false;
  const isStopped = () => stopped;
  return {
    start: async () => {
      // Nothing is worked on before there was a first look at everything; what that finds is the first sync's work.
      let looked = false;
      await source.start({
        onChange: (key) => {
          if (looked) enqueue(key);
        },
        onSettled: () => enqueue(SYNC),
      });
      // The first look may take as long as the source is away.
      if (isStopped()) return;
      looked = true;
      enqueue(SYNC);
      working = runWorkers({
        queue,
        concurrency,
        work: (key) => reconcile(key as WorkKey),
        onOutcome: (outcome) => firstPass.tried(outcome.key, report(outcome)),
        nowMs: systemClock.nowMs,
      });
      timers.push(setInterval(() => enqueue(SYNC), resyncMs));
      timers.push(watchReturn(redisReady, () => enqueue(SYNC)));
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

/** Calls `then` when something that was away is there again, so that nobody waits for the end of a backoff. */
function watchReturn(isThere: () => boolean, then: () => void): NodeJS.Timeout {
  let wasThere = isThere();
  return setInterval(() => {
    const there = isThere();
    if (there && !wasThere) then();
    wasThere = there;
  }, REDIS_WATCH_MS);
}
