import { isDeepStrictEqual } from 'node:util';
import type { LeaseRecord } from './record.ts';

/** Last observed record of a lease, and the local time since which this record has not changed. */
export interface Observation {
  record: LeaseRecord;
  sinceMs: number;
}

/**
 * Updates the observation with a record that was read. The times in the record come from the clock of another machine
 * and are ignored. Only the time for which the record has not changed counts, measured by the local clock.
 */
export function observe(before: Observation | undefined, record: LeaseRecord, nowMs: number): Observation {
  return before !== undefined && isDeepStrictEqual(before.record, record) ? before : { record, sinceMs: nowMs };
}

/**
 * Returns the local time until which another process is the leader, or undefined if the lease is free or this process
 * holds it.
 */
export function heldUntilMs({ record, sinceMs }: Observation, identity: string): number | undefined {
  if (record.holder === '' || record.holder === identity) return undefined;
  return sinceMs + record.durationSeconds * 1000;
}
