import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { Logger } from '../logger.ts';
import { createMetrics, serviceResource } from '../metrics.ts';
import type { Metrics } from '../metrics.ts';
import type { ValuesOf } from '../settings.ts';
import type { TELEMETRY_SETTINGS } from './settings.ts';
import type { Tracing } from './tracing.ts';

export interface Telemetry {
  readonly metrics: Metrics;
  /** Undefined if no receiver is configured, or if no session is sampled. */
  readonly tracing: Tracing | undefined;
  /** Exports the remaining telemetry and stops. Call it after everything else has stopped. */
  stop: () => Promise<void>;
}

/**
 * Number of failed exports within WARNING_INTERVAL_MS after which a warning is logged. A single failure is not worth a
 * warning.
 */
const FAILURES_BEFORE_WARNING = 3;
const WARNING_INTERVAL_MS = 60_000;
/** Timeout of the last export, so that an unavailable receiver does not delay the shutdown. */
const LAST_EXPORT_TIMEOUT_MS = 2000;

/**
 * Starts metrics on the admin port. If an OTLP receiver is configured, also starts the export of metrics and traces to
 * it.
 */
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
  logExportErrors(logger);
  // The module is large, so it is imported only if a receiver is configured.
  const { createMetricReader, createTracing } = await import('./sdk.ts');
  const options = buildPushOptions(settings);
  const metrics = createMetrics(service, [createMetricReader(options)]);
  const tracing = settings.TRACES_SAMPLE_RATIO > 0 ? createTracing(serviceResource(service), options) : undefined;
  return {
    metrics,
    tracing,
    stop: () => atMost(LAST_EXPORT_TIMEOUT_MS, Promise.all([metrics.stop(), tracing?.stop()])),
  };
}

/**
 * Starts the export of traces in a thread other than the main thread, if an OTLP receiver is configured and sessions
 * are sampled. Metrics are not exported here, because the main thread exports the metrics of all threads.
 */
export async function createThreadTracing(
  service: string,
  settings: ValuesOf<typeof TELEMETRY_SETTINGS>,
  logger: Logger,
): Promise<Pick<Telemetry, 'tracing' | 'stop'>> {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === '' || settings.TRACES_SAMPLE_RATIO === 0) {
    return { tracing: undefined, stop: () => Promise.resolve() };
  }
  logExportErrors(logger);
  const { createTracing } = await import('./sdk.ts');
  const tracing = createTracing(serviceResource(service), buildPushOptions(settings));
  return { tracing, stop: () => atMost(LAST_EXPORT_TIMEOUT_MS, tracing.stop()) };
}

function buildPushOptions(settings: ValuesOf<typeof TELEMETRY_SETTINGS>) {
  return {
    endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    sampleRatio: settings.TRACES_SAMPLE_RATIO,
    spanDelayMs: settings.OTEL_BSP_SCHEDULE_DELAY,
    metricIntervalMs: settings.OTEL_METRIC_EXPORT_INTERVAL,
  };
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function logExportErrors(logger: Logger): void {
  let sinceMs = -Infinity;
  let failures = 0;
  const complain = (message: string) => {
    if (performance.now() - sinceMs > WARNING_INTERVAL_MS) [sinceMs, failures] = [performance.now(), 0];
    if (++failures === FAILURES_BEFORE_WARNING) {
      logger.warn({ reason: message }, 'telemetry could not be exported; check OTEL_EXPORTER_OTLP_ENDPOINT');
    }
  };
  const silent = () => undefined;
  diag.setLogger(
    { error: complain, warn: silent, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
}
