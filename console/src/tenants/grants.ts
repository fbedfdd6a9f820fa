import type { Tenant } from '@svc-asr/core';
import { ConsoleError } from '../errors.ts';

export type Grant = Tenant['spec']['grants'][number];

/** As many as the Tenant schema lets a resource list. */
export const MAX_GRANTS = 1000;

/**
 * Adds grants to those that are there. None is ever removed or changed: the ledger applies each id once for ever, so a
 * changed amount would be a lie. The same grant again changes nothing.
 */
export function appendGrants(current: readonly Grant[], added: readonly Grant[]): Grant[] {
  const byId = new Map(current.map((grant) => [grant.id, grant]));
  for (const grant of added) {
    const known = byId.get(grant.id);
    if (known !== undefined && known.audioSeconds !== grant.audioSeconds) {
      throw new ConsoleError('grant_conflict', {
        message: `The grant "${grant.id}" exists with ${known.audioSeconds} seconds. Use a new id: a grant is never changed.`,
      });
    }
    byId.set(grant.id, known ?? grant);
  }
  if (byId.size > MAX_GRANTS) throw new ConsoleError('too_many_grants');
  return [...byId.values()];
}
