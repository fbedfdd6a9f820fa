import type { Counter, Histogram, Meter, ObservableCounter, ObservableGauge } from '@opentelemetry/api';

/** One metric as a service lists it; docs/telemetry.md is made from these, and dashboards and alerts are held against them. */
export interface MetricDefinition {
  /** As OpenTelemetry names it: `svc_asr_…`, or a name of its semantic conventions. */
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly description: string;
  readonly labels?: readonly string[];
  /** `s`, or nothing for what is counted. */
  readonly unit?: 's';
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

export type MetricDefinitions = Readonly<Record<string, MetricDefinition>>;

/** A name with its unit, as Prometheus has it. */
export function withUnit(name: string, unit: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_]/g, '_');
  return unit !== 's' || plain.split('_').includes('seconds') ? plain : `${plain}_seconds`;
}

/** The name under which Prometheus knows a metric. */
export function prometheusName({ name, kind, unit }: MetricDefinition): string {
  const named = withUnit(name, unit ?? '');
  return kind === 'counter' && !named.endsWith('_total') ? `${named}_total` : named;
}

/** The series of a metric: a histogram has three kinds of them. */
export function prometheusSeries(definition: MetricDefinition): string[] {
  const name = prometheusName(definition);
  return definition.kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
}

/** A counter that is added to. */
export function createCounter(meter: Meter, definition: MetricDefinition): Counter {
  return meter.createCounter(definition.name, described(definition));
}

/** A counter that is read when metrics are. */
export function createObservedCounter(meter: Meter, definition: MetricDefinition): ObservableCounter {
  return meter.createObservableCounter(definition.name, described(definition));
}

/** A gauge that is read when metrics are. */
export function createGauge(meter: Meter, definition: MetricDefinition): ObservableGauge {
  return meter.createObservableGauge(definition.name, described(definition));
}

/** A histogram with the bounds of its definition. */
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
