import type { Metrics } from '@svc-asr/runtime';

/** Every metric of the gateway. */
export function createGatewayMetrics({ meter }: Metrics) {
  return {
    requests: meter.createCounter('svc_asr_http_requests_total', {
      description: 'HTTP requests by route, method, status and error code.',
    }),
    requestSeconds: meter.createHistogram('svc_asr_http_request_duration_seconds', {
      description: 'Time from the first byte of a request to the last of its answer.',
      advice: { explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] },
    }),
    sessionsCreated: meter.createCounter('svc_asr_sessions_created_total', {
      description: 'Sessions answered with 201, repeats of an Idempotency-Key included.',
    }),
    reaped: meter.createCounter('svc_asr_sessions_reaped_total', {
      description: 'Sessions that this gateway ended because they were overdue.',
    }),
    pendingCancellations: meter.createObservableGauge('svc_asr_pending_cancellations', {
      description: 'Sessions that still have to be taken back.',
    }),
    redisReady: meter.createObservableGauge('svc_asr_redis_ready', {
      description: '1 while there is a connection to Redis.',
    }),
  };
}

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;
