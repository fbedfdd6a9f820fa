import type { Options } from './pairwise.ts';

const PARENTS = [{ name: 'public', namespace: 'gateways' }];
const PROMETHEUS = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }];

/**
 * Alternatives for each option of the chart. Each alternative is a set of chart values. Alternatives of different
 * options set different values, except for `publicUrl`, which has the same value wherever it is set.
 */
export const OPTIONS: Options = {
  publicUrl: [{}, { publicUrl: 'https://asr.example.com' }],
  tls: [
    {},
    { tls: { mode: 'none' } },
    { tls: { mode: 'existingSecret', existingSecret: 'certificate' } },
    { tls: { mode: 'certManager', certManager: { issuerRef: { name: 'letsencrypt' } } } },
  ],
  workerTls: [
    {},
    { workerTls: { enabled: false } },
    { workerTls: { caExistingSecret: 'worker-issuer', serverName: 'workers.example' } },
  ],
  redis: [
    {},
    { redis: { persistence: { enabled: false }, podDisruptionBudget: { enabled: false } } },
    {
      redis: { enabled: false, external: { url: 'rediss://redis.example:6380', ports: [6380] }, caSecret: 'redis-ca' },
    },
    { redis: { enabled: false, existingSecret: 'redis-url' } },
    { redis: { sentinel: { enabled: true } } },
  ],
  secrets: [
    {},
    { secrets: { create: false } },
    {
      secrets: {
        apiKeyPeppers: { existingSecret: 'peppers' },
        sessionSecrets: { existingSecret: 'sessions' },
        workerTickets: { existingSecret: 'ticket-key', publicKeysExistingSecret: 'ticket-keys' },
        adminToken: { existingSecret: 'admin' },
      },
    },
  ],
  gateway: [
    {},
    { gateway: { autoscaling: { enabled: true }, service: { type: 'LoadBalancer', externalTrafficPolicy: 'Local' } } },
    {
      publicUrl: 'https://asr.example.com',
      gateway: {
        autoscaling: { enabled: true, audioMemory: { enabled: true } },
        service: { type: 'NodePort', nodePort: 30443, port: 8443 },
        ingress: { enabled: true, className: 'nginx', tlsSecret: 'ingress-tls' },
        podDisruptionBudget: { maxUnavailable: '25%' },
      },
    },
    {
      publicUrl: 'https://asr.example.com',
      gateway: {
        ingress: { enabled: true, controller: 'haproxy', host: 'asr.example.com' },
        httpRoute: { enabled: true, parentRefs: PARENTS },
        trustedProxies: ['10.0.0.0/8'],
        settings: { LOG_LEVEL: 'debug', STREAM_IDLE_MS: 60_000 },
        tolerations: [{ key: 'dedicated', operator: 'Exists' }],
        affinity: { nodeAffinity: {} },
        priorityClassName: 'system-cluster-critical',
        podLabels: { team: 'speech' },
        podAnnotations: { note: 'one' },
      },
    },
  ],
  console: [
    {},
    { console: { enabled: false } },
    {
      console: {
        ingress: { enabled: true, host: 'console.example.com', annotations: { 'cert-manager.io/issuer': 'ca' } },
        httpRoute: { enabled: true, parentRefs: PARENTS, hostnames: ['console.example.com'] },
        service: { type: 'LoadBalancer' },
        adminApi: { enabled: true },
      },
    },
    { console: { adminApi: { enabled: true, existingSecret: 'admin-certificate' } } },
  ],
  networkPolicy: [
    {},
    { networkPolicy: { enabled: false } },
    {
      networkPolicy: {
        gatewayFrom: PROMETHEUS,
        consoleFrom: PROMETHEUS,
        metricsFrom: PROMETHEUS,
        adminApiFrom: PROMETHEUS,
        apiServer: { cidrs: ['10.0.0.1/32'], ports: [6443] },
        extraEgress: [{ ports: [{ protocol: 'TCP', port: 4318 }] }],
      },
    },
  ],
  monitoring: [
    {},
    {
      monitoring: {
        serviceMonitor: { enabled: true, labels: { release: 'x' } },
        dashboards: { enabled: true },
        prometheusRule: { enabled: true, labels: { release: 'x' } },
      },
    },
  ],
  telemetry: [{}, { telemetry: { otlpEndpoint: 'https://collector.example' } }],
  platform: [
    {},
    { podSecurity: { userId: 0 }, image: { registry: 'images.example/asr/', pullSecrets: ['pull'] } },
    { commonLabels: { owner: 'speech' }, fullnameOverride: 'speech', worker: { image: { variant: 'cuda' } } },
  ],
  samples: [{}, { samples: { enabled: true, tenant: 'trial' } }],
};
