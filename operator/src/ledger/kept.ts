import type { Checkpoint } from './checkpoint.ts';

/** A checkpoint as it is kept in a file. */
export interface KeptCheckpoint extends Checkpoint {
  /** Since when the tenant is known to be deleted. */
  goneAt?: string;
}

/** What is kept of each tenant, by its name. */
export type Kept = Record<string, KeptCheckpoint>;

/**
 * Whether the account is over for which a checkpoint was made: after the retention time a tenant of the same name is
 * another one, which must not be charged for its predecessor.
 */
export function isOver({ goneAt }: KeptCheckpoint, nowMs: number, retentionMs: number): boolean {
  return goneAt !== undefined && nowMs - Date.parse(goneAt) >= retentionMs;
}

/** Notes which tenants are gone and which are back, and drops what is over. */
export function markGone(kept: Kept, present: ReadonlySet<string>, nowMs: number, retentionMs: number): Kept {
  const marked: Kept = {};
  for (const [tenant, checkpoint] of Object.entries(kept)) {
    if (isOver(checkpoint, nowMs, retentionMs)) continue;
    const { consumedMs, checkpointAt, goneAt = new Date(nowMs).toISOString() } = checkpoint;
    marked[tenant] = { consumedMs, checkpointAt, ...(!present.has(tenant) && { goneAt }) };
  }
  return marked;
}
