import type { MetricDefinitions } from '@svc-asr/runtime';

export const METRICS = {
  reconciles: {
    name: 'svc_asr_operator_reconciles',
    kind: 'counter',
    labels: ['kind', 'result'],
    description:
      'Reconciles by kind and result (success, error, or unavailable if Redis or the Kubernetes API did not answer).',
  },
  reconcileSeconds: {
    name: 'svc_asr_operator_reconcile_duration_seconds',
    kind: 'histogram',
    labels: ['kind'],
    unit: 's',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    description: 'Duration of a reconcile by kind.',
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
    description: 'Resources in the cluster or the configuration files, by kind.',
  },
  invalidResources: {
    name: 'svc_asr_operator_invalid_resources',
    kind: 'gauge',
    description: 'Resources or configuration files that are invalid in whole or in part.',
  },
  heldDeletions: {
    name: 'svc_asr_operator_held_deletions',
    kind: 'gauge',
    description: 'Resources that are missing from the source but kept, because the source may be incomplete.',
  },
  lastSync: {
    name: 'svc_asr_operator_last_sync_timestamp_seconds',
    kind: 'gauge',
    description: 'Time of the last full resync.',
  },
  workers: {
    name: 'svc_asr_operator_workers',
    kind: 'gauge',
    labels: ['model', 'state'],
    description: 'Workers by model and state (desired, running, or ready for sessions).',
  },
  leader: {
    name: 'svc_asr_operator_leader',
    kind: 'gauge',
    description: 'Whether this operator is the leader (1) or a standby (0).',
  },
  requests: {
    name: 'svc_asr_operator_kubernetes_requests',
    kind: 'counter',
    labels: ['verb', 'code'],
    description: 'Requests to the Kubernetes API by verb and HTTP status code (0 without a response).',
  },
  relists: {
    name: 'svc_asr_operator_relists',
    kind: 'counter',
    labels: ['kind', 'reason'],
    description: 'Full lists by kind and reason (start, periodic, expired resourceVersion, or failures).',
  },
  watchAge: {
    name: 'svc_asr_operator_watch_age_seconds',
    kind: 'gauge',
    labels: ['kind'],
    unit: 's',
    description:
      'Time since the watch of a kind started or last received an event. Kubernetes sends bookmark events about every minute, so a higher value means that the watch is stuck. With several namespaces, the longest of their times counts.',
  },
  poolSlots: {
    name: 'svc_asr_pool_slots',
    kind: 'gauge',
    labels: ['model'],
    description: 'Total slots of the ready workers of a pool.',
  },
  poolSessions: {
    name: 'svc_asr_pool_sessions',
    kind: 'gauge',
    labels: ['model', 'state'],
    description: 'Sessions of a pool by state (active on a worker, reserved, or waiting in the queue).',
  },
  poolStartFailing: {
    name: 'svc_asr_pool_start_failing',
    kind: 'gauge',
    labels: ['model'],
    description:
      '1 while no worker of the newest revision of a model can start (after a rollback, of the stable revision). The conditions of the ASRModel state the reason.',
  },
  poolFailingNodes: {
    name: 'svc_asr_pool_failing_nodes',
    kind: 'gauge',
    labels: ['model'],
    description:
      'Nodes on which workers of a model failed repeatedly within an hour, while other workers of the model ran without failures. The status of the ASRModel lists them.',
  },
  tierWorkers: {
    name: 'svc_asr_pool_tier_workers',
    kind: 'gauge',
    labels: ['model', 'tier', 'state'],
    description: 'Workers of a tier by state (desired, running, or ready for sessions), for models with spec.pools.',
  },
  tierSlots: {
    name: 'svc_asr_pool_tier_slots',
    kind: 'gauge',
    labels: ['model', 'tier'],
    description: 'Total slots of the ready workers of a tier.',
  },
  tierStreams: {
    name: 'svc_asr_pool_tier_streams',
    kind: 'gauge',
    labels: ['model', 'tier'],
    description: 'Streams on the workers of a tier, including draining workers.',
  },
  tierStartFailing: {
    name: 'svc_asr_pool_tier_start_failing',
    kind: 'gauge',
    labels: ['model', 'tier'],
    description: '1 while no worker of a tier can start. The status of the ASRModel states the reason.',
  },
  ledgerMissing: {
    name: 'svc_asr_ledger_missing',
    kind: 'gauge',
    description: '1 while Redis does not contain the ledger of this installation.',
  },
  redisUsedBytes: {
    name: 'svc_asr_redis_memory_used_bytes',
    kind: 'gauge',
    description: 'Memory that Redis uses. In a Redis Cluster, memory of the node that is closest to its limit.',
  },
  redisLimitBytes: {
    name: 'svc_asr_redis_memory_limit_bytes',
    kind: 'gauge',
    description: 'maxmemory of the same node; 0 without a limit. At the limit, new sessions are refused.',
  },
  journalEntries: {
    name: 'svc_asr_journal_entries',
    kind: 'gauge',
    description: 'Journal entries in Redis, of all tenants. An ended session has two entries until they leave Redis.',
  },
  journalBacklog: {
    name: 'svc_asr_journal_backlog_ratio',
    kind: 'gauge',
    description:
      'Journal entries that are not exported, divided by JOURNAL_BACKLOG_ENTRIES, for the tenant with the most such entries. At 1, entries are lost.',
  },
  journalExportAge: {
    name: 'svc_asr_journal_export_age_seconds',
    kind: 'gauge',
    unit: 's',
    description: 'Time since the last complete export of new journal entries, or since the start if there was none.',
  },
} as const satisfies MetricDefinitions;
