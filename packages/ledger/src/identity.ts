import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import type { RebuildPlan } from './types.ts';

/** How long a plan is shown that the operator does not renew. */
const PLAN_SHOWN_MS = 60_000;

/**
 * The id of the ledger stands in Redis and with the resources. A Redis without it, or with another, was emptied or is the
 * wrong one: nothing may be concluded from what is absent there.
 */
export function createIdentity(link: RedisLink, keys: RedisKeys) {
  const key = keys.ledgerId();
  const planKey = `${key}:plan`;
  const requestKey = `${key}:rebuild`;
  const get = async (at: string) => ((await link.send(at, ['GET', at])) as string | null) ?? undefined;
  return {
    /** undefined: this Redis holds no ledger. */
    read: () => get(key),

    /** Makes this Redis the home of a ledger unless it is one already; returns the id that stands there. */
    async claim(ledgerId: string): Promise<string> {
      await link.send(key, ['SET', key, ledgerId, 'NX']);
      return (await get(key)) ?? ledgerId;
    },

    /** Shows for a while what a rebuild would do; told by the operator while the ledger is missing. */
    async showPlan(plan: RebuildPlan): Promise<void> {
      await link.send(planKey, ['SET', planKey, JSON.stringify(plan), 'PX', String(PLAN_SHOWN_MS)]);
    },

    async plan(): Promise<RebuildPlan | undefined> {
      const text = await get(planKey);
      return text === undefined ? undefined : (JSON.parse(text) as RebuildPlan);
    },

    /** Asks the operator to rebuild the ledger of this id here. */
    async requestRebuild(ledgerId: string): Promise<void> {
      await link.send(requestKey, ['SET', requestKey, ledgerId]);
    },

    /** The ledger that somebody asked to rebuild here. */
    requestedRebuild: () => get(requestKey),

    /** The rebuild is done: this Redis is the ledger's home from now on. */
    async finishRebuild(ledgerId: string): Promise<void> {
      await link.send(key, ['SET', key, ledgerId]);
      await link.send(requestKey, ['DEL', requestKey, planKey]);
    },
  };
}
