import type { MetricDefinitions } from '@svc-asr/runtime';

/** Metrics of the console. */
export const CONSOLE_METRICS = {
  requestSeconds: {
    name: 'http.server.request.duration',
    kind: 'histogram',
    unit: 's',
    labels: ['http.request.method', 'http.route', 'http.response.status_code'],
    description: 'Duration of requests to the console and the admin API.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  kubernetesRequests: {
    name: 'svc_asr_console_kubernetes_requests_total',
    kind: 'counter',
    labels: ['verb', 'code'],
    description: 'Requests to the Kubernetes API by verb and HTTP status code. The code is 0 if there was no response.',
  },
} as const satisfies MetricDefinitions;
