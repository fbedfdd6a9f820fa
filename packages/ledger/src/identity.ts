import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import type { RebuildPlan } from './types.ts';

/** Time for which a rebuild plan stays visible if the operator does not renew it. */
const PLAN_SHOWN_MS = 60_000;

/**
 * Creates access to the ledger id, which is stored both in Redis and next to the resources. A Redis without this id was
 * emptied, or is the wrong one. If data is missing in such a Redis, the reason is not that a user has deleted it.
 */
export function createIdentity(link: RedisLink, keys: RedisKeys) {
  const key = keys.ledgerId();
  const planKey = `${key}:plan`;
  const requestKey = `${key}:rebuild`;
  const get = async (at: string) => ((await link.send(at, ['GET', at])) as string | null) ?? undefined;
  return {
    /** Returns the ledger id. Undefined if this Redis contains no ledger. */
    read: () => get(key),

    /** Stores the id unless Redis already has one. Returns the stored id. */
    async claim(ledgerId: string): Promise<string> {
      await link.send(key, ['SET', key, ledgerId, 'NX']);
      return (await get(key)) ?? ledgerId;
    },

    /**
     * Publishes for a limited time what a rebuild of the ledger would restore. The operator calls this while the ledger
     * is missing.
     */
    async showPlan(plan: RebuildPlan): Promise<void> {
      await link.send(planKey, ['SET', planKey, JSON.stringify(plan), 'PX', String(PLAN_SHOWN_MS)]);
    },

    async plan(): Promise<RebuildPlan | undefined> {
      const text = await get(planKey);
      return text === undefined ? undefined : (JSON.parse(text) as RebuildPlan);
    },

    /** Requests that the operator rebuilds the ledger with this id in the connected Redis. */
    async requestRebuild(ledgerId: string): Promise<void> {
      await link.send(requestKey, ['SET', requestKey, ledgerId]);
    },

    /** Returns the id of the ledger whose rebuild was requested. Undefined if there is no request. */
    requestedRebuild: () => get(requestKey),

    /** Stores the id in this Redis and deletes the request and the plan. */
    async finishRebuild(ledgerId: string): Promise<void> {
      await link.send(key, ['SET', key, ledgerId]);
      await link.send(requestKey, ['DEL', requestKey, planKey]);
    },
  };
}
