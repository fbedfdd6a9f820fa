import type { Clock } from './clock.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';
import type { AccountState, RateState } from './types.ts';

const ADMIT = loadScript('admit');

/** Result of the account and rate check of an authenticated request. */
export interface Admission {
  /** State of the account. Undefined if there is no account. */
  state: AccountState | undefined;
  allowed: boolean;
  rate: RateState;
  retryAfterMs: number;
}

/**
 * Creates the function that checks the account and the request rate of an authenticated request, and counts the request
 * if it is allowed.
 */
export function createAdmission(link: RedisLink, keys: RedisKeys, clock: Clock) {
  return async (tenant: string): Promise<Admission> => {
    const reply = (await link.run(ADMIT, keys.account(tenant), [])) as unknown[];
    const [now, state, allowed, limit, remaining, whole, retry] = reply;
    clock.observe(Number(now));
    return {
      state: state === '' ? undefined : (state as AccountState),
      allowed: allowed === 1,
      rate: { limit: Number(limit), remaining: Number(remaining), resetS: Math.ceil(Number(whole) / 1000) },
      retryAfterMs: Number(retry),
    };
  };
}
