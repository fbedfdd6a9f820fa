import type { createPools } from './pools.ts';
import type { createSessions, FailOptions, Owner } from './sessions.ts';

/** Parts of the ledger that `failAndLeave` uses. */
export interface EndingParts {
  sessions: Pick<ReturnType<typeof createSessions>, 'fail'>;
  pools: Pick<ReturnType<typeof createPools>, 'leave'>;
}

/**
 * Fails the session of a stream without a charge and releases its slot, also if the session had ended before. Returns
 * true if this call ended the session.
 */
export async function failAndLeave(
  { sessions, pools }: EndingParts,
  owner: Owner,
  { tenant, sessionId }: { tenant: string; sessionId: string },
  reason: string,
  options?: FailOptions,
): Promise<boolean> {
  const ended = await sessions.fail(tenant, sessionId, owner, 0, reason, options);
  if ('model' in ended) await pools.leave(ended.model, sessionId, tenant);
  return ended.outcome === 'ok';
}
