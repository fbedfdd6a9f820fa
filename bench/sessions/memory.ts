import type { Ledger } from '@svc-asr/ledger';
import { createTenant, reserved } from '../../test/support/ledger.ts';

const SESSIONS = 10_000;

/** Returns the Redis memory that 10,000 live sessions with an Idempotency-Key take, including the journal. */
export async function memoryOfSessions(ledger: Ledger): Promise<number> {
  const tenants = await Promise.all(
    Array.from({ length: 100 }, () => createTenant(ledger, 36_000_000, { concurrentSessions: SESSIONS })),
  );
  const before = await usedMemory(ledger);
  for (let i = 0; i < SESSIONS; i += 100) {
    await Promise.all(tenants.map((tenant) => reserved(ledger, tenant, { idempotencyKey: `key-${i}`, seconds: 60 })));
  }
  return (await usedMemory(ledger)) - before;
}

async function usedMemory(ledger: Ledger): Promise<number> {
  const info = String(await ledger.link.send('', ['INFO', 'memory']));
  return Number(/used_memory:(\d+)/.exec(info)?.[1]);
}
