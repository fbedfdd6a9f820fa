import { API_VERSION, checkResource } from '@svc-asr/core';
import type { AsrModel } from '@svc-asr/core';
import type { KubeObject } from '@svc-asr/kubernetes';

/** Sessions per worker. Fixed, because this benchmark does not measure workers. */
export const SLOTS = 2;
export const GPU = 'nvidia.com/gpu';
export const GRANT = { id: 'welcome', audioSeconds: 3600 };

/** Returns a name with a fixed number of digits, so that all names have the same length. */
export function nameOf(kind: 'model' | 'tenant', at: number): string {
  return `${kind}-${String(at).padStart(5, '0')}`;
}

/** Builds an ASRModel whose workers need one GPU each. Without sessions it has no workers. */
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

/** Parses a model as the operator does, with every default filled in. */
export function readModel(object: KubeObject): AsrModel {
  const checked = checkResource(object);
  if (!checked.ok) throw new Error(`invalid model: ${JSON.stringify(checked.problems)}`);
  return checked.value as AsrModel;
}
