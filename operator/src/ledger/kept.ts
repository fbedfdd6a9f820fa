import type { Checkpoint } from './checkpoint.ts';

/** A checkpoint as stored in the file. */
export interface KeptCheckpoint extends Checkpoint {
  /** Time at which the deletion of the tenant was detected. */
  goneAt?: string;
}

/** Stored checkpoints by tenant. */
export type Kept = Record<string, KeptCheckpoint>;

/**
 * Returns whether the retention time of a deleted tenant has passed. A later tenant of the same name is a different
 * tenant and must not be charged for the deleted tenant.
 */
export function isExpired({ goneAt }: KeptCheckpoint, nowMs: number, retentionMs: number): boolean {
  return goneAt !== undefined && nowMs - Date.parse(goneAt) >= retentionMs;
}

/** Records the deletion of tenants, removes that record if a tenant exists again, and drops expired checkpoints. */
export function markDeleted(kept: Kept, present: ReadonlySet<string>, nowMs: number, retentionMs: number): Kept {
  const marked: Kept = {};
  for (const [tenant, checkpoint] of Object.entries(kept)) {
    if (isExpired(checkpoint, nowMs, retentionMs)) continue;
    const { goneAt = new Date(nowMs).toISOString(), ...kept } = checkpoint;
    marked[tenant] = { ...kept, ...(!present.has(tenant) && { goneAt }) };
  }
  return marked;
}
