import type { Ledger } from '@svc-asr/ledger';
import { eventually } from './eventually.ts';

/** Waits until a session is placed on a worker of a model, and returns the worker. */
export function placed({ pools }: Ledger, model: string, sessionId: string) {
  return eventually(async () => {
    const placement = await pools.place(model, { sessionId, tenant: 't' });
    if (placement.outcome === 'wait') throw new Error('still waiting');
    return placement.worker;
  });
}
