import type { Metrics } from '@svc-asr/runtime';

/** Every metric of the operator, as Prometheus names it. */
export const METRICS = {
  reconciles: {
    name: 'svc_asr_operator_reconciles_total',
    description: 'Reconciliations by kind and result (success, error, unavailable: Redis did not answer).',
  },
  reconcileSeconds: {
    name: 'svc_asr_operator_reconcile_duration_seconds',
    description: 'How long a reconciliation took, by kind.',
  },
  queueDepth: {
    name: 'svc_asr_operator_queue_depth',
    description: 'Keys in the work queue by state (ready, in_flight, delayed).',
  },
  resources: { name: 'svc_asr_operator_resources', description: 'Resources that the source has, by kind.' },
  badFiles: {
    name: 'svc_asr_operator_bad_files',
    description: 'Configuration files that are not, or not wholly, in force.',
  },
  heldDeletions: {
    name: 'svc_asr_operator_held_deletions',
    description: 'Resources kept though the source does not have them, because it may not know all.',
  },
  lastSync: {
    name: 'svc_asr_operator_last_sync_timestamp_seconds',
    description: 'When everything was last looked at anew.',
  },
  workers: {
    name: 'svc_asr_operator_workers',
    description: 'Workers by model and state (desired, running: started here, ready: they take sessions).',
  },
} as const;

/** What is read when metrics are. */
export interface Readings {
  queueDepth: () => { ready: number; inFlight: number; delayed: number };
  resourceKinds: () => readonly string[];
  badFiles: () => number;
  heldDeletions: () => number;
  /** Seconds since 1970; undefined: not yet. */
  lastSyncSeconds: () => number | undefined;
  pools: () => readonly { model: string; desired: number; running: number; ready: number }[];
}

export interface Instruments {
  countReconcile: (kind: string, result: 'success' | 'error' | 'unavailable', durationMs: number) => void;
}

/** Makes the operator's instruments. */
export function createInstruments(meter: Metrics['meter']): Instruments {
  const { reconciles, reconcileSeconds } = METRICS;
  // The exporter adds `_total` to the name of every counter by itself.
  const counter = meter.createCounter(reconciles.name.replace(/_total$/, ''), { description: reconciles.description });
  const histogram = meter.createHistogram(reconcileSeconds.name, {
    description: reconcileSeconds.description,
    advice: { explicitBucketBoundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5] },
  });
  return {
    countReconcile: (kind, result, durationMs) => {
      counter.add(1, { kind, result });
      histogram.record(durationMs / 1000, { kind });
    },
  };
}

/** Lets the metrics read the state of the operator's parts. */
export function observe(meter: Metrics['meter'], readings: Readings): void {
  const gauge = ({ name, description }: { name: string; description: string }) =>
    meter.createObservableGauge(name, { description });
  gauge(METRICS.queueDepth).addCallback((result) => {
    const { ready, inFlight, delayed } = readings.queueDepth();
    result.observe(ready, { state: 'ready' });
    result.observe(inFlight, { state: 'in_flight' });
    result.observe(delayed, { state: 'delayed' });
  });
  gauge(METRICS.resources).addCallback((result) => {
    const counts = new Map<string, number>();
    for (const kind of readings.resourceKinds()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [kind, count] of counts) result.observe(count, { kind });
  });
  gauge(METRICS.badFiles).addCallback((result) => result.observe(readings.badFiles()));
  gauge(METRICS.heldDeletions).addCallback((result) => result.observe(readings.heldDeletions()));
  gauge(METRICS.lastSync).addCallback((result) => {
    const seconds = readings.lastSyncSeconds();
    if (seconds !== undefined) result.observe(seconds);
  });
  gauge(METRICS.workers).addCallback((result) => {
    for (const { model, ...counts } of readings.pools()) {
      for (const [state, count] of Object.entries(counts)) result.observe(count, { model, state });
    }
  });
}
