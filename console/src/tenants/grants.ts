import type { Tenant } from '@svc-asr/core';
import { ConsoleError } from '../errors.ts';

export type Grant = Tenant['spec']['grants'][number];

/** Maximum number of grants in the Tenant schema. */
export const MAX_GRANTS = 1000;

/**
 * Appends grants. Existing grants are never removed or changed. The ledger applies each id only once, so a changed
 * amount would have no effect. Adding the same grant again changes nothing.
 */
export function appendGrants(current: readonly Grant[], added: readonly Grant[]): Grant[] {
  const byId = new Map(current.map((grant) => [grant.id, grant]));
  for (const grant of added) {
    const known = byId.get(grant.id);
    if (known !== undefined && known.audioSeconds !== grant.audioSeconds) {
      throw new ConsoleError('grant_conflict', {
        message: `The grant "${grant.id}" exists with ${known.audioSeconds} seconds. Grants cannot be changed. Use a new id.`,
      });
    }
    byId.set(grant.id, known ?? grant);
  }
  if (byId.size > MAX_GRANTS) throw new ConsoleError('too_many_grants');
  return [...byId.values()];
}
