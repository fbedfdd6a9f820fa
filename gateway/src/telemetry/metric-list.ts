import type { MetricDefinitions } from '@svc-asr/runtime';

/** Around the promises: 300 ms for a delta, 600 ms for a final, 1 s for ready. */
const LATENCY_BUCKETS = [0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1, 1.5, 2.5, 5, 10, 30, 60, 120];

/** Every metric of the gateway. */
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
    description: 'Time from the first byte of a request to the last of its answer.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  sessionsCreated: {
    name: 'svc_asr_sessions_created',
    kind: 'counter',
    labels: ['model'],
    description: 'Sessions answered with 201, repeats of an Idempotency-Key included.',
  },
  reaped: {
    name: 'svc_asr_sessions_reaped',
    kind: 'counter',
    description: 'Sessions that this gateway ended because they were overdue.',
  },
  handshakes: {
    name: 'svc_asr_handshakes',
    kind: 'counter',
    labels: ['code'],
    description:
      'WebSocket handshakes by code: ok, client_closed (gone before the answer), or that of the error they were refused with.',
  },
  streams: { name: 'svc_asr_streams', kind: 'gauge', labels: ['model'], description: 'Streams that are open now.' },
  streamsEnded: {
    name: 'svc_asr_streams_ended',
    kind: 'counter',
    labels: ['model', 'outcome', 'reason'],
    description: 'Streams that ended, by outcome (completed; failed: by a fault of the service) and reason.',
  },
  streamMoves: {
    name: 'svc_asr_stream_moves',
    kind: 'counter',
    labels: ['model', 'cause'],
    description: 'Streams that were taken to another worker because theirs failed or drained.',
  },
  readySeconds: {
    name: 'svc_asr_ready_latency_seconds',
    kind: 'histogram',
    unit: 's',
    labels: ['model'],
    description: 'From the request for a stream to its `ready`, the wait for a worker included.',
    buckets: LATENCY_BUCKETS,
  },
  deltaSeconds: {
    name: 'svc_asr_delta_latency_seconds',
    kind: 'histogram',
    unit: 's',
    labels: ['model'],
    description: 'From the sample that completes a chunk to its `delta`, of audio that comes at real-time pace.',
    buckets: LATENCY_BUCKETS,
  },
  finalSeconds: {
    name: 'svc_asr_final_latency_seconds',
    kind: 'histogram',
    unit: 's',
    labels: ['model'],
    description: 'From a flush to its `final`, of audio that comes at real-time pace.',
    buckets: LATENCY_BUCKETS,
  },
  placeSeconds: {
    name: 'svc_asr_place_wait_seconds',
    kind: 'histogram',
    unit: 's',
    labels: ['model'],
    description: 'How long streams waited for a worker.',
    buckets: LATENCY_BUCKETS,
  },
  billedSeconds: {
    name: 'svc_asr_billed_audio_seconds',
    kind: 'counter',
    unit: 's',
    labels: ['model'],
    description: 'Audio that was charged.',
  },
  pendingSettlements: {
    name: 'svc_asr_pending_settlements',
    kind: 'gauge',
    description: 'Streams that have ended and still have to be settled.',
  },
  pendingCancellations: {
    name: 'svc_asr_pending_cancellations',
    kind: 'gauge',
    description: 'Sessions that still have to be taken back.',
  },
  redisReady: {
    name: 'svc_asr_redis_ready',
    kind: 'gauge',
    description: '1 while there is a connection to Redis.',
  },
  eventLoopStall: {
    name: 'svc_asr_event_loop_stall_seconds',
    kind: 'gauge',
    unit: 's',
    description: 'Longest time between two turns of a 10 ms timer in the last minute.',
  },
} as const satisfies MetricDefinitions;
