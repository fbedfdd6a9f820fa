import type { Logger } from './logger.ts';

/** A step of the shutdown. Steps run in order. */
export interface StopStep {
  name: string;
  stop: () => Promise<void> | void;
}

/** Interval of log lines about a shutdown step that takes long. */
const REPORT_MS = 10_000;

/**
 * Runs `start`, waits for SIGTERM or SIGINT, and runs the returned shutdown steps in order. The grace period limits all
 * steps together. If a step fails or is still running at the end of the grace period, the error is logged and the next
 * step starts.
 */
export async function runService(
  logger: Logger,
  graceMs: number,
  start: () => Promise<readonly StopStep[]>,
): Promise<void> {
  const signalled = new Promise<string>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'uncaught exception');
    process.exit(1);
  });
  let steps: readonly StopStep[];
  try {
    steps = await start();
  } catch (err) {
    logger.fatal({ err }, 'the service could not start');
    process.exit(1);
  }
  logger.info({ reason: await signalled }, 'the service is shutting down');
  const deadline = performance.now() + graceMs;
  for (const step of steps) await runStep(logger, step, deadline);
  logger.info('the service has stopped');
  process.exit(0);
}

async function runStep(logger: Logger, step: StopStep, deadline: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the grace period ended')), Math.max(0, deadline - performance.now()));
  });
  const startedAt = performance.now();
  const reports = setInterval(() => {
    logger.info(
      { reason: step.name, duration_ms: Math.round(performance.now() - startedAt) },
      'a shutdown step is still running',
    );
  }, REPORT_MS);
  try {
    await Promise.race([Promise.resolve(step.stop()), late]);
  } catch (err) {
    logger.error({ err, reason: step.name }, 'a shutdown step failed');
  } finally {
    clearTimeout(timer);
    clearInterval(reports);
  }
}
