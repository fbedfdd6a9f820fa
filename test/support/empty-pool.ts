import type { Ledger } from '@svc-asr/ledger';
import { eventually } from './eventually.ts';

/**
 * Waits until no session has a slot, holds capacity or is queued in the pool of a model. Slots are released a moment
 * after sessions are settled.
 */
export async function untilPoolIsEmpty(ledger: Ledger, model: string): Promise<void> {
  await eventually(`the pool of ${model} is empty`, 30_000, async () => {
    const { active, held, waiting } = await ledger.pools.load(model);
    return active + held + waiting === 0;
  });
}
