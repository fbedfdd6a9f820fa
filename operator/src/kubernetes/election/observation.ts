import { isDeepStrictEqual } from 'node:util';
import type { LeaseRecord } from './record.ts';

/** What was last seen of a lease, and since when it has been so by our own clock. */
export interface Observation {
  record: LeaseRecord;
  sinceMs: number;
}

/**
 * Takes in what was read. The times within the record are those of another machine's clock and mean nothing here: what
 * counts is how long we have seen the record unchanged.
 */
export function observe(before: Observation | undefined, record: LeaseRecord, nowMs: number): Observation {
  return before !== undefined && isDeepStrictEqual(before.record, record) ? before : { record, sinceMs: nowMs };
}

/** Until when (by our clock) somebody else leads; undefined: the lease is free, or ours. */
export function heldUntilMs({ record, sinceMs }: Observation, identity: string): number | undefined {
  if (record.holder === '' || record.holder === identity) return undefined;
  return sinceMs + record.durationSeconds * 1000;
}
