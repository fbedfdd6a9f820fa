import type { Counter, Histogram, Meter, ObservableCounter, ObservableGauge } from '@opentelemetry/api';

/**
 * Definition of a metric. docs/metrics.md is generated from all definitions, and tests check dashboards and alerts
 * against them.
 */
export interface MetricDefinition {
  /** OpenTelemetry name: `svc_asr_…`, or a name that the semantic conventions of OpenTelemetry define. */
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly description: string;
  readonly labels?: readonly string[];
  /** Unit, which is `s` for seconds. Absent for counts. */
  readonly unit?: 's';
  /** Upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[];
}

export type MetricDefinitions = Readonly<Record<string, MetricDefinition>>;

/**
 * Returns a metric name in the form that Prometheus expects. Characters that Prometheus does not allow become `_`. A
 * metric in seconds gets the suffix `_seconds`, unless its name contains the word already.
 */
export function withUnit(name: string, unit: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_]/g, '_');
  return unit !== 's' || plain.split('_').includes('seconds') ? plain : `${plain}_seconds`;
}

/** Returns the name of a metric in Prometheus. */
export function prometheusName({ name, kind, unit }: MetricDefinition): string {
  const named = withUnit(name, unit ?? '');
  return kind === 'counter' && !named.endsWith('_total') ? `${named}_total` : named;
}

/** Returns the names of all time series of a metric. A histogram has three. */
export function prometheusSeries(definition: MetricDefinition): string[] {
  const name = prometheusName(definition);
  return definition.kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
}

/** Creates a counter. */
export function createCounter(meter: Meter, definition: MetricDefinition): Counter {
  return meter.createCounter(definition.name, described(definition));
}

/** Creates a counter whose value is read when metrics are collected. */
export function createObservedCounter(meter: Meter, definition: MetricDefinition): ObservableCounter {
  return meter.createObservableCounter(definition.name, described(definition));
}

/** Creates a gauge whose value is read when metrics are collected. */
export function createGauge(meter: Meter, definition: MetricDefinition): ObservableGauge {
  return meter.createObservableGauge(definition.name, described(definition));
}

/** Creates a histogram with the buckets of its definition. */
export function createHistogram(meter: Meter, definition: MetricDefinition): Histogram {
  const { buckets = [] } = definition;
  return meter.createHistogram(definition.name, {
    ...described(definition),
    advice: { explicitBucketBoundaries: [...buckets] },
  });
}

function described({ description, unit }: MetricDefinition): { description: string; unit?: string } {
  return { description, ...(unit === undefined ? {} : { unit }) };
}
