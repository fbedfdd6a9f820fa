import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 250;
const TIMEOUT_MS = 5000;

/** Slots that the workers of a model declared, added up; waits until there is a worker. */
export async function readDeclaredSlots(redisUrl: string, model: string, withinMs: number): Promise<number> {
  // Only here, so that whoever says DECLARED_SLOTS needs no client of Redis.
  const { connectRedis, createLedger } = await import('@svc-asr/ledger');
  const link = connectRedis({ url: redisUrl, name: 'loadtest', timeoutMs: TIMEOUT_MS });
  const ledger = createLedger(link, { prefix: process.env.REDIS_KEY_PREFIX ?? 'svc' });
  try {
    const deadlineMs = performance.now() + withinMs;
    for (;;) {
      const workers = await ledger.workers.list(model).catch(() => []);
      const slots = workers.filter(({ draining }) => !draining).reduce((sum, worker) => sum + worker.slots, 0);
      if (slots > 0 || performance.now() > deadlineMs) return slots;
      await sleep(POLL_MS);
    }
  } finally {
    await link.close();
  }
}
