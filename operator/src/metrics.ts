import type { Metrics } from '@svc-asr/runtime';

/** Every metric of the operator, as Prometheus names it. */
export const METRICS = {
  reconciles: {
    name: 'svc_asr_operator_reconciles_total',
    description:
      'Reconciliations by kind and result (success, error, unavailable: Redis or the Kubernetes API did not answer).',
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
    description: 'Configuration files, or resources in the cluster, that are not or not wholly in force.',
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
  leader: {
    name: 'svc_asr_operator_leader',
    description: 'Whether this operator leads (1) or stands by (0).',
  },
  requests: {
    name: 'svc_asr_operator_kubernetes_requests_total',
    description: 'Requests to the Kubernetes API by verb and code (an HTTP status; 0: no answer).',
  },
  relists: {
    name: 'svc_asr_operator_relists_total',
    description:
      'Times that everything of a kind was listed, by kind and reason (start, periodic, expired: the watch was too old, failures).',
  },
  watchAge: {
    name: 'svc_asr_operator_watch_age_seconds',
    description: 'Time since anything came of the watch of a kind; bookmarks come about every minute.',
  },
} as const;

/** What is read when metrics are. */
export interface Readings {
  queueDepth: () => { ready: number; inFlight: number; delayed: number };
  resourceKinds: () => readonly string[];
  bad: () => number;
  heldDeletions: () => number;
  /** Seconds since 1970; undefined: not yet. */
  lastSyncSeconds: () => number | undefined;
  pools: () => readonly { model: string; desired: number; running: number; ready: number }[];
  leads: () => boolean;
}

export interface Instruments {
  countReconcile: (kind: string, result: 'success' | 'error' | 'unavailable', durationMs: number) => void;
  countRequest: (verb: string, code: number) => void;
  countRelist: (kind: string, reason: string) => void;
  /** Something came of the watch of a kind. */
  noteHeard: (kind: string) => void;
}

/** Makes the operator's instruments. */
export function createInstruments(meter: Metrics['meter'], nowMs: () => number): Instruments {
  // The exporter adds `_total` to the name of every counter by itself.
  const counter = ({ name, description }: { name: string; description: string }) =>
    meter.createCounter(name.replace(/_total$/, ''), { description });
  const { reconcileSeconds, watchAge } = METRICS;
  const reconciles = counter(METRICS.reconciles);
  const requests = counter(METRICS.requests);
  const relists = counter(METRICS.relists);
  const histogram = meter.createHistogram(reconcileSeconds.name, {
    description: reconcileSeconds.description,
    advice: { explicitBucketBoundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5] },
  });
  const heardMs = new Map<string, number>();
  meter.createObservableGauge(watchAge.name, { description: watchAge.description }).addCallback((result) => {
    for (const [kind, atMs] of heardMs) result.observe((nowMs() - atMs) / 1000, { kind });
  });
  return {
    countReconcile: (kind, result, durationMs) => {
      reconciles.add(1, { kind, result });
      histogram.record(durationMs / 1000, { kind });
    },
    countRequest: (verb, code) => requests.add(1, { verb, code: String(code) }),
    countRelist: (kind, reason) => relists.add(1, { kind, reason }),
    noteHeard: (kind) => heardMs.set(kind, nowMs()),
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
  gauge(METRICS.badFiles).addCallback((result) => result.observe(readings.bad()));
  gauge(METRICS.heldDeletions).addCallback((result) => result.observe(readings.heldDeletions()));
  gauge(METRICS.lastSync).addCallback((result) => {
    const seconds = readings.lastSyncSeconds();
    if (seconds !== undefined) result.observe(seconds);
  });
  gauge(METRICS.leader).addCallback((result) => result.observe(readings.leads() ? 1 : 0));
  gauge(METRICS.workers).addCallback((result) => {
    for (const { model, desired, running, ready } of readings.pools()) {
      for (const [state, count] of Object.entries({ desired, running, ready })) result.observe(count, { model, state });
    }
  });
}
