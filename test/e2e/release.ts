import { NODE_RANGE } from '../../tools/cluster/plan.ts';

/** The release, and so the first part of the names of its objects. */
export const RELEASE = 'svc-asr';

/** Values that the tests install with: small requests, a port of the node, images that are on the node already. */
export function buildValues(port: number, tag: string) {
  const small = { requests: { cpu: '20m', memory: '64Mi' } };
  return {
    publicUrl: `https://localhost:${port}`,
    image: { registry: 'localhost', tag, pullPolicy: 'Never' },
    redis: { image: { repository: 'localhost/redis', tag: '7' }, resources: small },
    gateway: { service: { type: 'NodePort', nodePort: 30_443 }, resources: small },
    operator: { resources: small },
    console: { resources: small },
    // The tests' own way in begins at a node, which is no pod.
    networkPolicy: { metricsFrom: [{ namespaceSelector: {} }, { ipBlock: { cidr: NODE_RANGE } }] },
  };
}

/** An ASRModel of one of the demo models, which lie in the worker's image. */
export function buildModel(name: string, language: string, languageCode: string, scaling: object) {
  return {
    apiVersion: 'asr.svc.dev/v1',
    kind: 'ASRModel',
    metadata: { name },
    spec: {
      language,
      languageCode,
      artifact: { path: `/models/${name}` },
      // Fixed, so that a test knows when a worker is full.
      worker: { provider: 'cpu', slots: 2, resources: { requests: { cpu: '50m', memory: '256Mi' } } },
      scaling: { bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 10, ...scaling },
    },
  };
}

/** A Tenant with an hour of credit. */
export function buildTenant(name: string) {
  return {
    apiVersion: 'asr.svc.dev/v1',
    kind: 'Tenant',
    metadata: { name },
    spec: {
      displayName: name,
      state: 'Active',
      models: ['*'],
      limits: { concurrentSessions: 20, sessionsPerMinute: 600, requestsPerMinute: 6000 },
      grants: [{ id: 'welcome', audioSeconds: 3600 }],
    },
  };
}
