import type { MetricDefinitions } from '@svc-asr/runtime';

/** Every metric of the console. */
export const CONSOLE_METRICS = {
  requestSeconds: {
    name: 'http.server.request.duration',
    kind: 'histogram',
    unit: 's',
    labels: ['http.request.method', 'http.route', 'http.response.status_code'],
    description: 'Time that requests to the admin API took.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  kubernetesRequests: {
    name: 'svc_asr_console_kubernetes_requests_total',
    kind: 'counter',
    labels: ['verb', 'code'],
    description: 'Requests to the Kubernetes API by verb and code (an HTTP status; 0: no answer).',
  },
} as const satisfies MetricDefinitions;
