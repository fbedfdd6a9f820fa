import { createHash } from 'node:crypto';
import { API_VERSION, checkResource } from '@svc-asr/core';
import type { AsrModel, ResourceOf } from '@svc-asr/core';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject, ResourceType } from '@svc-asr/kubernetes';
import type { Size } from './size.ts';

/** Number of slots of each worker. It is fixed, because this benchmark does not measure workers. */
export const SLOTS = 2;
export const GPU = 'nvidia.com/gpu';
export const GRANT = { id: 'welcome', audioSeconds: 3600 };

/** Returns a name with a fixed number of digits, so that all names have the same length. */
export function nameOf(kind: 'model' | 'tenant', at: number): string {
  return `${kind}-${String(at).padStart(5, '0')}`;
}

/** Builds all resources of a run. The kinds alternate. */
export function buildResources({ models, tenants, keys }: Size): { type: ResourceType; object: KubeObject }[] {
  const most = Math.max(models, tenants, keys);
  return Array.from({ length: most }, (_, at) => [
    ...(at < models ? [{ type: TYPES.ASRModel, object: buildModel(nameOf('model', at)) }] : []),
    ...(at < tenants ? [{ type: TYPES.Tenant, object: buildTenant(nameOf('tenant', at)) }] : []),
    ...(at < keys ? [{ type: TYPES.ApiKey, object: buildKey(at, nameOf('tenant', at % tenants)) }] : []),
  ]).flat();
}

/** Builds an ASRModel whose workers need one GPU each. It has no workers while it has no sessions. */
export function buildModel(
  name: string,
  scaling: object = { max: 10 },
  image = 'example.invalid/worker:1',
): KubeObject {
  return {
    apiVersion: API_VERSION,
    kind: 'ASRModel',
    metadata: { name },
    spec: {
      language: 'Kikuyu',
      languageCode: 'ki',
      artifact: { path: `/models/${name}` },
      worker: {
        provider: 'cuda',
        image,
        slots: SLOTS,
        accelerator: { resource: GPU, count: 1 },
        resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } },
      },
      scaling: { min: 0, ...scaling },
    },
  };
}

/** Builds a Tenant with a grant, as the console creates it. */
export function buildTenant(name: string): KubeObject {
  return {
    apiVersion: API_VERSION,
    kind: 'Tenant',
    metadata: { name },
    spec: { displayName: name, state: 'Active', models: ['*'], grants: [GRANT] },
  };
}

/** Builds an ApiKey of a tenant, as the console creates it. */
function buildKey(at: number, tenant: string): KubeObject {
  const keyId = `k${String(at).padStart(9, '0')}`;
  const hash = createHash('sha256').update(keyId).digest('hex');
  return {
    apiVersion: API_VERSION,
    kind: 'ApiKey',
    metadata: { name: keyId },
    spec: { tenant, displayName: 'bench', keyId, hash, pepperId: 'bench', lastFour: keyId.slice(-4) },
  };
}

/** Parses a model as the operator does, with every default filled in. */
export function readModel(object: KubeObject): AsrModel {
  return readResource(object) as AsrModel;
}

/** Parses a key as the operator does. */
export function readKey(object: KubeObject): ResourceOf<'ApiKey'> {
  return readResource(object) as ResourceOf<'ApiKey'>;
}

function readResource(object: KubeObject): unknown {
  const checked = checkResource(object);
  if (!checked.ok) throw new Error(`invalid ${object.kind}: ${JSON.stringify(checked.problems)}`);
  return checked.value;
}
