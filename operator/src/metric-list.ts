import type { MetricDefinitions } from '@svc-asr/runtime';

/** Every metric of the operator. */
export const METRICS = {
  reconciles: {
    name: 'svc_asr_operator_reconciles',
    kind: 'counter',
    labels: ['kind', 'result'],
    description:
      'Reconciliations by kind and result (success, error, unavailable: Redis or the Kubernetes API did not answer).',
  },
  reconcileSeconds: {
    name: 'svc_asr_operator_reconcile_duration_seconds',
    kind: 'histogram',
    labels: ['kind'],
    unit: 's',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    description: 'How long a reconciliation took, by kind.',
  },
  queueDepth: {
    name: 'svc_asr_operator_queue_depth',
    kind: 'gauge',
    labels: ['state'],
    description: 'Keys in the work queue by state (ready, in_flight, delayed).',
  },
  resources: {
    name: 'svc_asr_operator_resources',
    kind: 'gauge',
    labels: ['kind'],
    description: 'Resources that the source has, by kind.',
  },
  badFiles: {
    name: 'svc_asr_operator_invalid_resources',
    kind: 'gauge',
    description: 'Configuration files, or resources in the cluster, that are not or not wholly in force.',
  },
  heldDeletions: {
    name: 'svc_asr_operator_held_deletions',
    kind: 'gauge',
    description: 'Resources kept though the source does not have them, because it may not know all.',
  },
  lastSync: {
    name: 'svc_asr_operator_last_sync_timestamp_seconds',
    kind: 'gauge',
    description: 'When everything was last looked at anew.',
  },
  workers: {
    name: 'svc_asr_operator_workers',
    kind: 'gauge',
    labels: ['model', 'state'],
    description: 'Workers by model and state (desired, running: started here, ready: they take sessions).',
  },
  leader: {
    name: 'svc_asr_operator_leader',
    kind: 'gauge',
    description: 'Whether this operator leads (1) or stands by (0).',
  },
  requests: {
    name: 'svc_asr_operator_kubernetes_requests',
    kind: 'counter',
    labels: ['verb', 'code'],
    description: 'Requests to the Kubernetes API by verb and code (an HTTP status; 0: no answer).',
  },
  relists: {
    name: 'svc_asr_operator_relists',
    kind: 'counter',
    labels: ['kind', 'reason'],
    description:
      'Times that everything of a kind was listed, by kind and reason (start, periodic, expired: the watch was too old, failures).',
  },
  watchAge: {
    name: 'svc_asr_operator_watch_age_seconds',
    kind: 'gauge',
    labels: ['kind'],
    unit: 's',
    description: 'Time since anything came of the watch of a kind; bookmarks come about every minute.',
  },
  poolSlots: {
    name: 'svc_asr_pool_slots',
    kind: 'gauge',
    labels: ['model'],
    description: 'Sessions that the ready workers of a pool take together.',
  },
  poolSessions: {
    name: 'svc_asr_pool_sessions',
    kind: 'gauge',
    labels: ['model', 'state'],
    description: 'Sessions of a pool by state (active: on a worker, reserved: may connect, waiting: in the line).',
  },
  poolTrouble: {
    name: 'svc_asr_pool_start_failing',
    kind: 'gauge',
    labels: ['model'],
    description: '1 while no worker of a model can be started; the ASRModel says why.',
  },
  ledgerMissing: {
    name: 'svc_asr_ledger_missing',
    kind: 'gauge',
    description: '1 while Redis does not hold the accounts of this installation.',
  },
} as const satisfies MetricDefinitions;
