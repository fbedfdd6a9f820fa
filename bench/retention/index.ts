import { createHash, randomUUID } from 'node:crypto';
import type { Ledger } from '@svc-asr/ledger';
import { createTenant, openLedger, reserved } from '../../test/support/ledger.ts';
import { startRedis } from '../../test/support/redis.ts';
import { memoryOfKeys, readUsage } from './usage.ts';

const TENANTS = 1000;
const SESSIONS_PER_TENANT = 100;
const SESSIONS = TENANTS * SESSIONS_PER_TENANT;
/** Number of tenants that are processed in parallel. */
const PARALLEL = 50;
/** Number of tenants whose Redis keys are measured one by one. */
const SAMPLE = 50;
const PREFIX = 'svc';
const MODEL = 'svc-asr-kikuyu-v1';
/** Ids of the API keys that the sessions of each tenant use in turn. */
const KEY_IDS = ['8fK2pQ9xLm', '3sT7wB1yNc'];
/**
 * Lifetime of credentials. It is shorter than in production, so that the benchmark does not wait a minute for the last
 * ones to expire.
 */
const SESSION_TTL_MS = 5000;
/** Largest acceptable memory of an ended session, in bytes. */
const TARGET_BYTES = 300;
/** Disables the append-only file. The memory use stays the same, and the benchmark takes only a third as long. */
const REDIS_OPTIONS = ['--appendonly', 'no'];
const OWNER = { id: `svc-asr-gateway-${randomUUID().slice(0, 15)}-${randomUUID()}`, epoch: 12 };

/**
 * Measures the Redis memory of ended sessions. Runs 100,000 sessions of 1,000 tenants with the real Lua scripts of the
 * ledger.
 */
export async function bench({ logProgress }: { logProgress: (line: string) => void }) {
  const redis = await startRedis(REDIS_OPTIONS);
  const ledger = await openLedger(redis.url, { prefix: PREFIX, sessionTtlMs: SESSION_TTL_MS });
  try {
    const tenants = await Promise.all(Array.from({ length: TENANTS }, () => createTenant(ledger, 36_000_000_000)));
    const before = await readUsage(ledger);
    logProgress(`${TENANTS} tenants: ${before.keys} keys, ${before.bytes} bytes`);
    for (let at = 0; at < TENANTS; at += PARALLEL) {
      await Promise.all(tenants.slice(at, at + PARALLEL).map((tenant) => runSessions(ledger, tenant)));
    }
    const ended = await readUsage(ledger);
    logProgress(`${SESSIONS} sessions ended: ${ended.keys} keys, ${ended.bytes} bytes`);
    const after = await untilSteady(ledger);
    logProgress(`credentials expired: ${after.keys} keys, ${after.bytes} bytes`);
    const perSession = (after.bytes - before.bytes) / SESSIONS;
    const sample = tenants.slice(0, SAMPLE).map((tenant) => `${PREFIX}:{t:${tenant}}`);
    const perTenant = async (part: string) => (await memoryOfKeys(ledger, sample, part)) / SAMPLE;
    return {
      ratios: { bytes_vs_target: perSession / TARGET_BYTES },
      figures: {
        sessions: SESSIONS,
        tenants: TENANTS,
        keys_before: before.keys,
        used_memory_before: before.bytes,
        keys_just_ended: ended.keys,
        used_memory_just_ended: ended.bytes,
        keys_after: after.keys,
        used_memory_after: after.bytes,
        bytes_per_ended_session: perSession,
        bytes_per_session_just_ended: (ended.bytes - before.bytes) / SESSIONS,
        journal_bytes_per_session: (await perTenant('j')) / SESSIONS_PER_TENANT,
        recent_bytes_per_tenant: await perTenant('recent'),
        account_bytes_per_tenant: (await perTenant('a')) + (await perTenant('g')),
      },
    };
  } finally {
    await ledger.link.close();
    await redis.stop();
  }
}

/**
 * Creates and settles the sessions of a tenant one after the other, each with an Idempotency-Key and 11.2 s of audio.
 */
async function runSessions(ledger: Ledger, tenant: string): Promise<void> {
  for (let session = 0; session < SESSIONS_PER_TENANT; session++) {
    const credentialHash = createHash('sha256').update(randomUUID()).digest('hex');
    const { sessionId } = await reserved(ledger, tenant, {
      model: MODEL,
      idempotencyKey: randomUUID(),
      attempt: randomUUID().slice(0, 13),
      credentialHash,
      origin: { keyId: KEY_IDS[session % KEY_IDS.length] ?? null, requestId: randomUUID() },
    });
    await ledger.sessions.connect({ tenant, sessionId, credentialHash, owner: OWNER, connectionId: randomUUID() });
    const { outcome } = await ledger.sessions.settle(tenant, sessionId, OWNER, 179_200 + session, 'client closed');
    if (outcome !== 'ok') throw new Error(`settle returned ${outcome}`);
  }
}

/** Waits until the credentials have expired and Redis has removed all expired keys. */
async function untilSteady(ledger: Ledger) {
  await new Promise((resolve) => setTimeout(resolve, SESSION_TTL_MS + 1000));
  for (let last = await readUsage(ledger); ;) {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const now = await readUsage(ledger);
    if (now.keys === last.keys) return now;
    last = now;
  }
}
