import { createHmac, randomBytes } from 'node:crypto';
import { generateApiKey } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import { eventually } from '../../test/support/eventually.ts';
import { MODEL } from '../../test/support/gateway.ts';
import { modelFolder } from '../../test/support/recording.ts';
import type { ApiServer } from './parts/api-server.ts';
import { WORKERS } from './settings.ts';

/** A tenant of the run, with its key. */
export interface ChaosTenant {
  readonly name: string;
  readonly key: string;
}

/** Credit of each tenant, in seconds of audio. */
const CREDIT_SECONDS = 1_000_000;
/** Longest time until the operator has applied a Tenant. */
const APPLIED_WITHIN_MS = 60_000;

const PEPPER = randomBytes(32);

/** Setting of gateways with the secret that hashes API keys. */
export const PEPPERS = JSON.stringify({ current: 'p1', secrets: { p1: PEPPER.toString('base64') } });

/** Builds the resources that the operator applies: the model and the tenants. */
export function buildResources(
  tenants: number,
  concurrentSessions: number,
): { resources: readonly object[]; tenantNames: readonly string[] } {
  const tenantNames = Array.from({ length: tenants }, (_, index) => `tenant-${index + 1}`);
  const resources = [modelResource(), ...tenantNames.map((name) => tenantResource(name, concurrentSessions))];
  return { resources, tenantNames };
}

/** Checks that the operator applies a new Tenant. */
export async function checkOperator({ apply }: ApiServer, ledger: Ledger): Promise<void> {
  await apply([tenantResource('tenant-after-the-run', 1)]);
  await createKey(ledger, 'tenant-after-the-run');
}

/** Waits until the operator has applied a tenant, and stores a key for it. */
export async function createKey(ledger: Ledger, name: string): Promise<ChaosTenant> {
  await eventually(`the account of ${name}`, APPLIED_WITHIN_MS, async () => {
    return (await ledger.accounts.read(name))?.grantedMs === CREDIT_SECONDS * 1000;
  });
  const { key, keyId } = generateApiKey(randomBytes);
  const hash = createHmac('sha256', PEPPER).update(key).digest('hex');
  await ledger.apiKeys.put(keyId, { tenant: name, hash, pepperId: 'p1', expiresAtMs: null });
  return { name, key };
}

function modelResource() {
  return {
    apiVersion: 'asr.svc.dev/v1',
    kind: 'ASRModel',
    metadata: { name: MODEL },
    spec: {
      language: 'Kikuyu',
      languageCode: 'ki',
      artifact: { path: modelFolder(MODEL) },
      worker: { provider: 'cpu', slots: 32 },
      scaling: { min: WORKERS, max: WORKERS },
    },
  };
}

function tenantResource(name: string, concurrentSessions: number) {
  return {
    apiVersion: 'asr.svc.dev/v1',
    kind: 'Tenant',
    metadata: { name },
    spec: {
      displayName: name,
      state: 'Active',
      models: ['*'],
      limits: { concurrentSessions, sessionsPerMinute: 60_000, requestsPerMinute: 60_000 },
      grants: [{ id: 'first', audioSeconds: CREDIT_SECONDS }],
    },
  };
}
