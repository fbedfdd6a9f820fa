import type { MetricDefinitions } from '@svc-asr/runtime';

/** Buckets around the latency targets: 300 ms for a delta, 600 ms for a final, 1 s for ready. */
const LATENCY_BUCKETS = [0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1, 1.5, 2.5, 5, 10, 30, 60, 120];

/** Metrics of the gateway. */
export const GATEWAY_METRICS = {
  requests: {
    name: 'svc_asr_http_requests',
    kind: 'counter',
    labels: ['route', 'method', 'status', 'code'],
    description: 'HTTP requests by route, method, status and error code.',
  },
  requestSeconds: {
    name: 'http.server.request.duration',
    kind: 'histogram',
    unit: 's',
    labels: ['http.request.method', 'http.route', 'http.response.status_code'],
    description: 'Time from the start of a request to the end of its response.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  sessionsCreated: {
    name: 'svc_asr_sessions_created',
    kind: 'counter',
    labels: ['model'],
    description:
      'Sessions that the gateway created for API requests, files and realtime connections. A repeat of an Idempotency-Key counts again.',
  },
  reaped: {
    name: 'svc_asr_sessions_reaped',
    kind: 'counter',
    description: 'Sessions that this gateway ended because they were overdue or because no live gateway served them.',
  },
  refusalsDropped: {
    name: 'svc_asr_refusals_dropped',
    kind: 'counter',
    labels: ['reason'],
    description:
      'Refused requests that were not recorded for the console, by reason: tenant_limit (too many of one tenant), gateway_limit (too many at once) or redis_unavailable.',
  },
  connectionsRefused: {
    name: 'svc_asr_connections_refused',
    kind: 'counter',
    labels: ['reason'],
    description:
      'Connections that were closed without a response, by reason: limit (MAX_CONNECTIONS), address_limit (MAX_CONNECTIONS_PER_ADDRESS) or handshake_timeout (no TLS handshake in time).',
  },
  connections: {
    name: 'svc_asr_connections',
    kind: 'gauge',
    description: 'Open connections of clients and load balancers, including those of streams.',
  },
  handshakes: {
    name: 'svc_asr_handshakes',
    kind: 'counter',
    labels: ['code'],
    description:
      'WebSocket handshakes by code: ok, client_closed (disconnected before the response), or the error code of the refusal.',
  },
  audioMemory: {
    name: 'svc_asr_audio_memory_reserved_bytes',
    kind: 'gauge',
    description:
      'Audio memory that live streams have reserved. The gateway refuses handshakes when less than 9.6 MB, the audio of the longest session, is left of svc_asr_audio_memory_limit_bytes.',
  },
  audioMemoryLimit: {
    name: 'svc_asr_audio_memory_limit_bytes',
    kind: 'gauge',
    description: 'Audio memory of the gateway (STREAM_MEMORY_MIB).',
  },
  streams: { name: 'svc_asr_streams', kind: 'gauge', labels: ['model'], description: 'Open streams.' },
  streamsEnded: {
    name: 'svc_asr_streams_ended',
    kind: 'counter',
    labels: ['model', 'outcome', 'reason'],
    description: 'Ended streams by outcome (completed, or failed because of the service) and reason.',
  },
  streamMoves: {
    name: 'svc_asr_stream_moves',
    kind: 'counter',
    labels: ['model', 'cause'],
    description:
      'Moves of a stream to another worker by cause: failure, drain or overload (more streams than slots) of the previous worker.',
  },
  connectionLosses: {
    name: 'svc_asr_worker_connection_losses',
    kind: 'counter',
    labels: ['outcome'],
    description:
      'Lost connections to workers by outcome: resumed, refused (the worker has ended or did not keep the connection) or expired (not reached in time). Streams move unless the connection is resumed.',
  },
  readySeconds: {
    name: 'svc_asr_ready_latency_seconds',
    kind: 'histogram',
    unit: 's',
    labels: ['model'],
    description: 'Time from the handshake of a stream to its `ready`, including the wait for a worker.',
    buckets: LATENCY_BUCKETS,
  },
  deltaSeconds: {
    name: 'svc_asr_delta_latency_seconds',
    kind: 'histogram',
    unit: 's',
    labels: ['model'],
    description: 'Time from the last sample of a chunk to its `delta`, for audio that arrives at real-time pace.',
    buckets: LATENCY_BUCKETS,
  },
  finalSeconds: {
    name: 'svc_asr_final_latency_seconds',
    kind: 'histogram',
    unit: 's',
    labels: ['model'],
    description: 'Time from a flush to its `final`, for audio that arrives at real-time pace.',
    buckets: LATENCY_BUCKETS,
  },
  placeSeconds: {
    name: 'svc_asr_place_wait_seconds',
    kind: 'histogram',
    unit: 's',
    labels: ['model'],
    description: 'Time for which streams waited until they got a worker.',
    buckets: LATENCY_BUCKETS,
  },
  billedSeconds: {
    name: 'svc_asr_billed_audio_seconds',
    kind: 'counter',
    unit: 's',
    labels: ['model'],
    description: 'Charged audio.',
  },
  tenantSessionsCreated: {
    name: 'svc_asr_tenant_sessions_created',
    kind: 'counter',
    labels: ['tenant'],
    description:
      'Like svc_asr_sessions_created, by tenant. Only with TENANT_METRICS_MAX. Tenants beyond this number have the label _other.',
  },
  tenantBilledSeconds: {
    name: 'svc_asr_tenant_billed_audio_seconds',
    kind: 'counter',
    unit: 's',
    labels: ['tenant'],
    description:
      'Charged audio by tenant. Only with TENANT_METRICS_MAX. Tenants beyond this number have the label _other.',
  },
  pendingSettlements: {
    name: 'svc_asr_pending_settlements',
    kind: 'gauge',
    description: 'Ended streams that are not settled yet, and failed handshakes that are not rolled back yet.',
  },
  pendingCancellations: {
    name: 'svc_asr_pending_cancellations',
    kind: 'gauge',
    description: 'Sessions that could not be returned to their clients and still have to be cancelled in Redis.',
  },
  redisReady: {
    name: 'svc_asr_redis_ready',
    kind: 'gauge',
    description: '1 while the gateway is connected to Redis, otherwise 0.',
  },
  eventLoopStall: {
    name: 'svc_asr_event_loop_stall_seconds',
    kind: 'gauge',
    unit: 's',
    description: 'Longest delay between two runs of a 10 ms timer in the last minute.',
  },
} as const satisfies MetricDefinitions;
