import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { Logger } from '../logger.ts';
import { createMetrics, serviceResource } from '../metrics.ts';
import type { Metrics } from '../metrics.ts';
import type { ValuesOf } from '../settings.ts';
import type { TELEMETRY_SETTINGS } from './settings.ts';
import type { Tracing } from './tracing.ts';

export interface Telemetry {
  readonly metrics: Metrics;
  /** undefined: nobody receives traces, and nothing is done for them. */
  readonly tracing: Tracing | undefined;
  /** Sends what is left and ends; called last. */
  stop: () => Promise<void>;
}

/** One sending that fails is no news, and a receiver that is away would fill the log. */
const FAILURES_TO_COMPLAIN = 3;
const COMPLAIN_EVERY_MS = 60_000;
/** A receiver that is away must not hold up the end of a service. */
const LAST_WORDS_MS = 2000;

/** Metrics on the admin port and, where a receiver of OTLP is set, metrics and traces to it. */
export async function createTelemetry(
  service: string,
  settings: ValuesOf<typeof TELEMETRY_SETTINGS>,
  logger: Logger,
): Promise<Telemetry> {
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === '') {
    const metrics = createMetrics(service);
    return { metrics, tracing: undefined, stop: metrics.stop };
  }
  complainTo(logger);
  // Only now: without a receiver none of it is loaded.
  const { createMetricReader, createTracing } = await import('./sdk.ts');
  const options = {
    endpoint,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    sampleRatio: settings.TRACES_SAMPLE_RATIO,
    spanDelayMs: settings.OTEL_BSP_SCHEDULE_DELAY,
    metricIntervalMs: settings.OTEL_METRIC_EXPORT_INTERVAL,
  };
  const metrics = createMetrics(service, [createMetricReader(options)]);
  const tracing = settings.TRACES_SAMPLE_RATIO > 0 ? createTracing(serviceResource(service), options) : undefined;
  return {
    metrics,
    tracing,
    stop: () => atMost(LAST_WORDS_MS, Promise.all([metrics.stop(), tracing?.stop()])),
  };
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function complainTo(logger: Logger): void {
  let sinceMs = -Infinity;
  let failures = 0;
  const complain = (message: string) => {
    if (performance.now() - sinceMs > COMPLAIN_EVERY_MS) [sinceMs, failures] = [performance.now(), 0];
    if (++failures === FAILURES_TO_COMPLAIN) {
      logger.warn({ reason: message }, 'telemetry could not be sent; check OTEL_EXPORTER_OTLP_ENDPOINT');
    }
  };
  const silent = () => undefined;
  diag.setLogger(
    { error: complain, warn: silent, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
}
