import { randomUUID } from 'node:crypto';
import type { Ledger } from '@svc-asr/ledger';
import { reserved } from '../../../test/support/ledger.ts';

const OWNER = { id: 'gateway-1', epoch: 1 };
const SAMPLES_PER_MS = 16;

/** Creates a session in Redis and settles it after `audioMs` of audio, as a gateway does. Returns its id. */
export async function completeSession(
  ledger: Ledger,
  tenant: string,
  { audioMs, keyId = null, model = 'svc-asr-kikuyu-v1' }: { audioMs: number; keyId?: string | null; model?: string },
): Promise<string> {
  const { sessionId } = await reserved(ledger, tenant, {
    seconds: 60,
    model,
    origin: { keyId, requestId: randomUUID() },
  });
  await ledger.sessions.connect({
    tenant,
    sessionId,
    credentialHash: 'hash',
    connectionId: randomUUID(),
    owner: OWNER,
  });
  const end = { reason: 'client_closed', closeCode: 1000 } as const;
  await ledger.sessions.settle(tenant, sessionId, OWNER, audioMs * SAMPLES_PER_MS, 'closed', { end });
  return sessionId;
}
