import type { MetricsBody } from '../otlp.ts';

type Labels = Readonly<Record<string, string>>;

/** Value of a number, or the buckets of a histogram. */
type Value = number | { readonly bounds: readonly number[]; readonly counts: readonly number[] };

/** Builds the metrics export of a process, as the OpenTelemetry SDK sends it. */
export function buildExport(
  service: string,
  instance: string,
  metrics: readonly (readonly [name: string, value: Value, labels?: Labels])[],
): MetricsBody {
  return {
    resourceMetrics: [
      {
        resource: {
          attributes: toAttributes({ 'service.name': `svc-asr-${service}`, 'service.instance.id': instance }),
        },
        scopeMetrics: [
          {
            metrics: metrics.map(([name, value, labels = {}]) => {
              const attributes = toAttributes(labels);
              if (typeof value === 'number') return { name, sum: { dataPoints: [{ attributes, asInt: value }] } };
              const { bounds: explicitBounds, counts: bucketCounts } = value;
              const count = bucketCounts.reduce((total, one) => total + one, 0);
              return { name, histogram: { dataPoints: [{ attributes, count, explicitBounds, bucketCounts }] } };
            }),
          },
        ],
      },
    ],
  };
}

/** Converts labels to the attributes of OTLP. */
export function toAttributes(labels: Labels) {
  return Object.entries(labels).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}
