/** OTLP/JSON as the services send it, reduced to the fields that the page needs. */
export interface Value {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
}
export interface Pair {
  key: string;
  value: Value;
}
interface Resource {
  attributes?: Pair[];
}
interface NumberPoint {
  attributes?: Pair[];
  asInt?: number | string;
  asDouble?: number;
}
interface HistogramPoint {
  attributes?: Pair[];
  count?: number | string;
  sum?: number;
  bucketCounts?: (number | string)[];
  explicitBounds?: number[];
}
export interface MetricsBody {
  resourceMetrics?: {
    resource?: Resource;
    scopeMetrics?: {
      metrics?: {
        name: string;
        sum?: { dataPoints?: NumberPoint[] };
        gauge?: { dataPoints?: NumberPoint[] };
        histogram?: { dataPoints?: HistogramPoint[] };
      }[];
    }[];
  }[];
}
export interface TracesBody {
  resourceSpans?: {
    resource?: Resource;
    scopeSpans?: {
      spans?: {
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes?: Pair[];
        events?: { name: string; timeUnixNano: string }[];
        status?: { code?: number };
      }[];
    }[];
  }[];
}

export type Labels = Readonly<Record<string, string>>;

export interface Source {
  readonly service: string;
  readonly instance: string;
}

/** One data point of a metric: a number, or the bucket counts of a histogram. */
export interface Reading {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
  readonly bounds?: readonly number[];
  readonly counts?: readonly number[];
}

/** Returns the service and instance that sent a resource. */
export function sourceOf(resource: Resource | undefined): Source {
  const attributes = labelsOf(resource?.attributes);
  return {
    service: (attributes['service.name'] ?? '').replace(/^svc-asr-/, ''),
    instance: attributes['service.instance.id'] ?? '',
  };
}

/** Returns the data points of a request, grouped by their sender. */
export function readingsOf({ resourceMetrics = [] }: MetricsBody): [Source, Reading[]][] {
  return resourceMetrics.map(({ resource, scopeMetrics = [] }) => [
    sourceOf(resource),
    scopeMetrics.flatMap(({ metrics = [] }) =>
      metrics.flatMap(({ name, sum, gauge, histogram }) => [
        ...[...(sum?.dataPoints ?? []), ...(gauge?.dataPoints ?? [])].map(({ attributes, asInt, asDouble }) => ({
          name,
          labels: labelsOf(attributes),
          value: Number(asDouble ?? asInt ?? 0),
        })),
        ...(histogram?.dataPoints ?? []).map(({ attributes, count, explicitBounds = [], bucketCounts = [] }) => ({
          name,
          labels: labelsOf(attributes),
          value: Number(count ?? 0),
          bounds: explicitBounds,
          counts: bucketCounts.map(Number),
        })),
      ]),
    ),
  ]);
}

/** Converts attributes to strings. */
export function labelsOf(pairs: readonly Pair[] = []): Record<string, string> {
  return Object.fromEntries(
    pairs.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => {
      return [key, String(stringValue ?? intValue ?? doubleValue ?? boolValue ?? '')];
    }),
  );
}
