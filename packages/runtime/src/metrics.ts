import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Meter } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

export interface Metrics {
  readonly meter: Meter;
  /** Writes all metrics in Prometheus' text format. */
  serve: (request: IncomingMessage, response: ServerResponse) => void;
  stop: () => Promise<void>;
}

/** OpenTelemetry metrics of one service, read by Prometheus from the admin port. */
export function createMetrics(service: string): Metrics {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ 'service.name': `svc-asr-${service}` }),
    readers: [exporter],
  });
  return {
    meter: provider.getMeter('svc-asr'),
    serve: (request, response) => exporter.getMetricsRequestHandler(request, response),
    stop: () => provider.shutdown(),
  };
}
