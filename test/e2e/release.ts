import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSetting } from './environment.ts';

/** Name of the Helm release. The name of each of its objects starts with this name. */
export const RELEASE = 'svc-asr';
/** Namespace of the pod of access.ts. */
export const ACCESS_NAMESPACE = 'svc-asr-e2e';
/** Namespace of models that are not in the namespace of the installation. */
export const MODEL_NAMESPACE = 'asr-models';
/** Pods that may connect to the admin API: those in the namespace of the pod of access.ts. */
export const ADMIN_API_FROM = [
  { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ACCESS_NAMESPACE } } },
];
/** Tag of the Redis image that `npm run images` builds. */
export const REDIS_TAG = '7';

/**
 * Builds the chart values of the tests: small requests, and shorter intervals and lifetimes than an installation with
 * real users has.
 */
export function buildValues({ chart, tag }: { chart: string; tag: string }) {
  // The chart of the previous commit might not have the values of the admin API. Such a version serves the admin API on
  // the metrics port.
  const defaults = readFileSync(join(chart, 'values.yaml'), 'utf8');
  const hasAdminApi = defaults.includes('adminApiFrom:');
  const registry = readSetting('E2E_REGISTRY');
  // In charts without digests, image.registry does not apply to Redis, so the repository contains the registry.
  const repository = defaults.includes('digest:') ? {} : { repository: `${registry}/redis` };
  const small = { requests: { cpu: '20m', memory: '64Mi' } };
  // The tests set these variables in extraEnv rather than with the chart's own values. In the chart of the previous
  // commit, such a value might have another name.
  const variables = (values: Record<string, number>) =>
    Object.entries(values).map(([name, value]) => ({ name, value: String(value) }));
  return {
    publicUrl: `https://localhost:${readSetting('E2E_PORT')}`,
    image: { registry, tag, pullPolicy: readPullPolicy() },
    redis: { image: { ...repository, tag: REDIS_TAG }, resources: small },
    gateway: {
      resources: small,
      drainDelaySeconds: 2,
      extraEnv: variables({ SESSION_TTL_MS: 30_000 }),
    },
    operator: {
      resources: small,
      extraEnv: variables({ STATUS_BALANCE_INTERVAL_MS: 3000, STATUS_LOAD_INTERVAL_MS: 2000 }),
    },
    console: { resources: small, ...(hasAdminApi && { adminApi: { enabled: true } }) },
    networkPolicy: hasAdminApi ? { adminApiFrom: ADMIN_API_FROM } : {},
  };
}

/**
 * Returns the pull policy. Images in a registry may have changed under the same tag, so nodes always pull them. Images
 * that were loaded into the nodes cannot be pulled.
 */
export function readPullPolicy(): 'Always' | 'IfNotPresent' {
  return readSetting('E2E_REGISTRY') === 'localhost' ? 'IfNotPresent' : 'Always';
}

/** Builds an ASRModel with the artifact /models/NAME. The worker image has the demo models in /models. */
export function buildModel(name: string, language: string, languageCode: string, scaling: object) {
  return {
    apiVersion: 'asr.svc.dev/v1',
    kind: 'ASRModel',
    metadata: { name },
    spec: {
      language,
      languageCode,
      artifact: { path: `/models/${name}` },
      // Fixed slots, so that a test knows when a worker is full.
      worker: { provider: 'cpu', slots: 2, resources: { requests: { cpu: '50m', memory: '256Mi' } } },
      scaling: { bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 5, ...scaling },
    },
  };
}

/** Builds a Tenant with ten hours of credit. */
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
      grants: [{ id: 'welcome', audioSeconds: 36_000 }],
    },
  };
}
