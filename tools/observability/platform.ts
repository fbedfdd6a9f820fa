import type { Dashboard } from './panels.ts';
import { HERE, latencyPanel, MODEL, pool, quantile, rate } from './queries.ts';

/** Dashboard of the whole installation. Shows whether the service is healthy, and which part is not. */
export const PLATFORM: Dashboard = {
  uid: 'svc-asr-platform',
  title: 'svc-asr / platform',
  description: 'The whole installation: latency targets, requests, streams, credit and components.',
  variables: [{ name: 'model', query: 'label_values(svc_asr_streams, model)' }],
  rows: [
    {
      title: 'Overview',
      panels: [
        {
          title: 'Live streams',
          kind: 'stat',
          width: 4,
          description: 'Open streams on all gateways.',
          queries: [{ expr: `sum(svc_asr_streams{${MODEL}})`, legend: 'streams' }],
        },
        {
          title: 'Slots in use',
          kind: 'stat',
          unit: 'percentunit',
          width: 4,
          limit: 0.9,
          description: 'Active and reserved sessions, as a share of the slots of the ready workers.',
          queries: [
            {
              expr: `${pool('svc_asr_pool_sessions', '', `${MODEL},state=~"active|reserved"`)} / ${pool('svc_asr_pool_slots', '')}`,
              legend: 'in use',
            },
          ],
        },
        {
          title: 'Waiting for a worker',
          kind: 'stat',
          width: 4,
          limit: 1,
          description: 'Streams in the queue of a pool.',
          queries: [{ expr: pool('svc_asr_pool_sessions', '', `${MODEL},state="waiting"`), legend: 'waiting' }],
        },
        {
          title: 'Delta p95',
          kind: 'stat',
          unit: 's',
          width: 4,
          limit: 0.3,
          description: 'Target: 300 ms.',
          queries: [{ expr: quantile(0.95, 'svc_asr_delta_latency_seconds', '', MODEL), legend: 'p95' }],
        },
        {
          title: 'Failed streams',
          kind: 'stat',
          unit: 'percentunit',
          width: 4,
          limit: 0.005,
          description: 'Streams that ended because of a fault of the service. They are not charged.',
          queries: [
            {
              // The series does not exist before the first failure.
              expr: `(sum(rate(svc_asr_streams_ended_total{${MODEL},outcome="failed"}[$__rate_interval])) or vector(0)) / sum(rate(svc_asr_streams_ended_total{${MODEL}}[$__rate_interval]))`,
              legend: 'failed',
            },
          ],
        },
        {
          title: 'Redis and ledger',
          kind: 'stat',
          width: 4,
          description: '1 if every gateway is connected to Redis, and if the ledger exists.',
          queries: [
            { expr: `min(svc_asr_redis_ready{${HERE}})`, legend: 'Redis' },
            { expr: `1 - max(svc_asr_ledger_missing{${HERE}})`, legend: 'ledger' },
          ],
        },
      ],
    },
    {
      title: 'Latency targets',
      panels: [
        latencyPanel({
          title: 'Delta',
          metric: 'svc_asr_delta_latency_seconds',
          targetSeconds: 0.3,
          description:
            'From the sample that completes a chunk to its delta. If chunks also wait long, there are too few workers.',
        }),
        latencyPanel({
          title: 'Final',
          metric: 'svc_asr_final_latency_seconds',
          targetSeconds: 0.6,
          description: 'From flush to final.',
        }),
        latencyPanel({
          title: 'Ready',
          metric: 'svc_asr_ready_latency_seconds',
          targetSeconds: 1,
          description: 'From the handshake to ready, including the wait for a worker. A pool at zero takes longer.',
        }),
      ],
    },
    {
      title: 'HTTP',
      panels: [
        {
          title: 'Requests by status',
          kind: 'timeseries',
          unit: 'reqps',
          description: 'Requests per second on all gateways.',
          queries: [{ expr: rate('svc_asr_http_requests_total', 'route, status'), legend: '{{route}} {{status}}' }],
        },
        {
          title: 'Errors by code',
          kind: 'timeseries',
          unit: 'reqps',
          description: 'Error codes of responses. docs/errors.md describes each code.',
          queries: [{ expr: rate('svc_asr_http_requests_total', 'code', `${HERE},code!=""`), legend: '{{code}}' }],
        },
        {
          title: 'Duration p95 by route',
          kind: 'timeseries',
          unit: 's',
          description: 'Creating a session takes three steps in Redis.',
          queries: [
            {
              expr: quantile(0.95, 'http_server_request_duration_seconds', 'http_route', HERE),
              legend: '{{http_route}}',
            },
          ],
        },
        {
          title: 'Handshakes by code',
          kind: 'timeseries',
          unit: 'ops',
          description: 'WebSocket handshakes: ok, or the reason of the refusal.',
          queries: [{ expr: rate('svc_asr_handshakes_total', 'code'), legend: '{{code}}' }],
        },
      ],
    },
    {
      title: 'Streams and credit',
      panels: [
        {
          title: 'Live streams by model',
          kind: 'timeseries',
          width: 8,
          description: 'Open streams.',
          queries: [{ expr: `sum by (model) (svc_asr_streams{${MODEL}})`, legend: '{{model}}' }],
        },
        {
          title: 'Ended streams by reason',
          kind: 'timeseries',
          unit: 'ops',
          width: 8,
          description: 'The outcome "failed" is a fault of the service.',
          queries: [
            { expr: rate('svc_asr_streams_ended_total', 'outcome, reason', MODEL), legend: '{{outcome}}: {{reason}}' },
          ],
        },
        {
          title: 'Streams moved to another worker',
          kind: 'timeseries',
          unit: 'ops',
          width: 8,
          description: 'Cause drain: rollouts and scaling down. Cause failure: workers crash or hang.',
          queries: [{ expr: rate('svc_asr_stream_moves_total', 'model, cause', MODEL), legend: '{{model}} {{cause}}' }],
        },
        {
          title: 'Billed audio',
          kind: 'timeseries',
          width: 8,
          description: 'Seconds of audio charged per second.',
          queries: [{ expr: rate('svc_asr_billed_audio_seconds_total', 'model', MODEL), legend: '{{model}}' }],
        },
        {
          title: 'Sessions created and overdue',
          kind: 'timeseries',
          unit: 'ops',
          width: 8,
          description: 'Overdue sessions were never connected, or their gateway crashed.',
          queries: [
            { expr: `sum(rate(svc_asr_sessions_created_total{${MODEL}}[$__rate_interval]))`, legend: 'created' },
            { expr: `sum(rate(svc_asr_sessions_reaped_total{${HERE}}[$__rate_interval]))`, legend: 'overdue' },
          ],
        },
        {
          title: 'Not yet in the ledger',
          kind: 'timeseries',
          width: 8,
          description: 'Grows while Redis is unavailable and shrinks when it is available again.',
          queries: [
            { expr: `sum(svc_asr_pending_settlements{${HERE}})`, legend: 'settlements' },
            { expr: `sum(svc_asr_pending_cancellations{${HERE}})`, legend: 'cancellations' },
          ],
        },
      ],
    },
    {
      title: 'Components',
      panels: [
        {
          title: 'Longest stall of a gateway',
          kind: 'timeseries',
          unit: 's',
          limit: 0.25,
          width: 8,
          description: 'Longest time that the event loop of a gateway was blocked. A high value means too much load.',
          queries: [{ expr: `max by (pod, instance) (svc_asr_event_loop_stall_seconds{${HERE}})`, legend: '{{pod}}' }],
        },
        {
          title: 'Operator: reconciliations',
          kind: 'timeseries',
          unit: 'ops',
          width: 8,
          description: 'The result "error" means that a resource cannot be applied.',
          queries: [{ expr: rate('svc_asr_operator_reconciles_total', 'kind, result'), legend: '{{kind}} {{result}}' }],
        },
        {
          title: 'Operator: queue and invalid resources',
          kind: 'timeseries',
          width: 8,
          description: 'Check for a queue that does not empty, and for resources that are not effective.',
          queries: [
            { expr: `sum by (state) (svc_asr_operator_queue_depth{${HERE}})`, legend: '{{state}}' },
            { expr: `max(svc_asr_operator_invalid_resources{${HERE}})`, legend: 'not effective' },
            { expr: `max(svc_asr_operator_held_deletions{${HERE}})`, legend: 'held deletions' },
          ],
        },
        {
          title: 'Operator: Kubernetes API',
          kind: 'timeseries',
          unit: 'ops',
          width: 12,
          description: 'Requests to the Kubernetes API.',
          queries: [
            { expr: rate('svc_asr_operator_kubernetes_requests_total', 'verb, code'), legend: '{{verb}} {{code}}' },
          ],
        },
        {
          title: 'Operators and their leader',
          kind: 'timeseries',
          width: 12,
          description: 'Exactly one operator is the leader.',
          queries: [{ expr: `sum by (pod) (svc_asr_operator_leader{${HERE}})`, legend: '{{pod}}' }],
        },
      ],
    },
  ],
};
