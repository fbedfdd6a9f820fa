import type { WorkQueue } from './queue.ts';

/** How one try of a key went. */
export interface Outcome {
  key: string;
  /** Why it failed; undefined when it did not. */
  error: unknown;
  durationMs: number;
  /** Failures in a row, this one included. */
  failures: number;
}

export interface WorkerOptions {
  queue: WorkQueue;
  /** How many keys are worked on at the same time. */
  concurrency: number;
  work: (key: string) => Promise<void>;
  /** Told of every try, before the key is given back. */
  onOutcome: (outcome: Outcome) => void;
  nowMs: () => number;
}

/** Works on the queue's keys until it is closed; a key that fails is retried. Resolves when the last one is done. */
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
      queue.retry(key);
    }
    onOutcome({ key, error: failure?.error, durationMs: nowMs() - startedMs, failures: queue.failures(key) });
    queue.done(key);
  }
}
