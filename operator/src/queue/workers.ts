import { PartialFailure } from '../failure/partial-failure.ts';
import type { WorkQueue } from './queue.ts';

/** Result of one attempt to process a key. */
export interface Outcome {
  key: string;
  /** Reason of the failure. Undefined if the attempt succeeded. */
  error: unknown;
  durationMs: number;
  /** Consecutive failures, including this one. A success or a partial failure resets them to 0. */
  failures: number;
}

export interface WorkerOptions {
  queue: WorkQueue;
  /** Maximum number of keys that are processed at the same time. */
  concurrency: number;
  work: (key: string) => Promise<void>;
  /** Called after every attempt, before `queue.done` is called for the key. */
  onOutcome: (outcome: Outcome) => void;
  nowMs: () => number;
}

/**
 * Processes the keys of the queue until it is closed, and retries keys that fail. Resolves when the last key is done.
 */
export async function runWorkers(options: WorkerOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.concurrency }, () => runWorker(options)));
}

async function runWorker({ queue, work, onOutcome, nowMs }: WorkerOptions): Promise<void> {
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    const startedMs = nowMs();
    let failure: { error: unknown } | undefined;
    try {
      await work(key);
      queue.forget(key);
    } catch (error) {
      failure = { error };
      if (error instanceof PartialFailure) queue.forget(key);
      else queue.retry(key);
    }
    onOutcome({ key, error: failure?.error, durationMs: nowMs() - startedMs, failures: queue.failures(key) });
    queue.done(key);
  }
}
