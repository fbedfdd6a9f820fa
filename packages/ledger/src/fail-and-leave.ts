import type { OwnedStream } from './owned-stream.ts';
import type { createPools } from './pools.ts';
import type { createSessions, FailOptions, Owner } from './sessions.ts';

/** Parts of the ledger that `failAndLeave` uses. */
export interface EndingParts {
  sessions: Pick<ReturnType<typeof createSessions>, 'fail'>;
  pools: Pick<ReturnType<typeof createPools>, 'leave'>;
}

/**
 * Fails the session of a stream without a charge. If the session has ended, in this call or before, also releases the
 * slot of the stream. The slot is kept if `isServed` returns true for the id by which the pool knows the stream.
 * Returns true if this call ended the session.
 */
export async function failAndLeave(
  { sessions, pools }: EndingParts,
  owner: Owner,
  { tenant, sessionId, chainId = sessionId }: OwnedStream,
  reason: string,
  options?: FailOptions,
  isServed: (streamId: string) => boolean = () => false,
): Promise<boolean> {
  const ended = await sessions.fail(tenant, sessionId, owner, 0, reason, options);
  if ('model' in ended && !isServed(chainId)) await pools.leave(ended.model, chainId, tenant);
  return ended.outcome === 'ok';
}
