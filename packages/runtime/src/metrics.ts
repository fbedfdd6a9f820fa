import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import type { Meter } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { Resource } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { MetricReader, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { withUnit } from './telemetry/instruments.ts';

export interface Metrics {
  readonly meter: Meter;
  /** Responds with all metrics in the Prometheus text format. */
  serve: (request: IncomingMessage, response: ServerResponse) => void;
  stop: () => Promise<void>;
}

/** Returns the resource attributes that identify a service in its telemetry. */
export function serviceResource(service: string): Resource {
  return resourceFromAttributes({
    'service.name': `svc-asr-${service}`,
    'service.namespace': 'svc-asr',
    // In a cluster, the host name is the name of the pod.
    'service.instance.id': `${hostname()}:${process.pid}`,
  });
}

/** Creates the OpenTelemetry metrics of a service, for Prometheus on the admin port and for additional readers. */
export function createMetrics(service: string, readers: readonly MetricReader[] = []): Metrics {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  const provider = new MeterProvider({ resource: serviceResource(service), readers: [exporter, ...readers] });
  return {
    meter: provider.getMeter('svc-asr'),
    serve: (_request, response) => {
      exporter.collect().then(
        ({ resourceMetrics }) => {
          response.setHeader('content-type', 'text/plain; charset=utf-8; version=0.0.4');
          response.end(serializer.serialize(unitsInNames(resourceMetrics)));
        },
        () => {
          response.statusCode = 500;
          response.end('metrics could not be read\n');
        },
      );
    },
    stop: () => provider.shutdown(),
  };
}

/**
 * Appends units to the names of metrics (`…_seconds`), as Prometheus expects. The OTLP receiver of Prometheus does this
 * itself, but the exporter does not.
 */
function unitsInNames(metrics: ResourceMetrics): ResourceMetrics {
  return {
    ...metrics,
    scopeMetrics: metrics.scopeMetrics.map((scope) => ({
      ...scope,
      metrics: scope.metrics.map((metric) => ({
        ...metric,
        descriptor: { ...metric.descriptor, name: withUnit(metric.descriptor.name, metric.descriptor.unit), unit: '' },
      })),
    })),
  };
}
