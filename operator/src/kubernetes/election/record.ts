import { apiVersionOf, TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';

/** Holder and times of a Lease. */
export interface LeaseRecord {
  /** Empty string if there is no holder. */
  holder: string;
  /** Time without a renewal after which other processes may take over the lease. */
  durationSeconds: number;
  acquireTime: string;
  renewTime: string;
  /** Number of takeovers. */
  transitions: number;
}

/** Reads a Lease. Missing fields become empty or zero. */
export function readRecord(lease: KubeObject): LeaseRecord {
  const spec = (lease.spec ?? {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const number = (value: unknown) => (typeof value === 'number' ? value : 0);
  return {
    holder: text(spec.holderIdentity),
    durationSeconds: number(spec.leaseDurationSeconds),
    acquireTime: text(spec.acquireTime),
    renewTime: text(spec.renewTime),
    transitions: number(spec.leaseTransitions),
  };
}

/**
 * Builds a Lease with this record. If `before` is given, the API server accepts the write only if the Lease is still
 * the same as `before`.
 */
export function buildLease(name: string, record: LeaseRecord, before?: KubeObject): KubeObject {
  const spec = {
    holderIdentity: record.holder,
    leaseDurationSeconds: record.durationSeconds,
    acquireTime: record.acquireTime,
    renewTime: record.renewTime,
    leaseTransitions: record.transitions,
  };
  const base = before ?? { apiVersion: apiVersionOf(TYPES.Lease), kind: TYPES.Lease.kind, metadata: { name } };
  return { ...base, spec: { ...(base.spec as object | undefined), ...spec } };
}

/** Formats a time with microseconds. The API server refuses fewer digits. */
export function formatMicroTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** Returns the record with which `identity` acquires or renews the lease. */
export function takeRecord(
  before: LeaseRecord | undefined,
  identity: string,
  durationSeconds: number,
  nowMs: number,
): LeaseRecord {
  const now = formatMicroTime(nowMs);
  const renews = before?.holder === identity;
  return {
    holder: identity,
    durationSeconds,
    acquireTime: renews ? before.acquireTime : now,
    renewTime: now,
    transitions: before === undefined ? 0 : before.transitions + (renews ? 0 : 1),
  };
}

/** Returns the record that releases the lease, so that the next holder need not wait. */
export function releaseRecord(before: LeaseRecord, nowMs: number): LeaseRecord {
  const now = formatMicroTime(nowMs);
  return { ...before, holder: '', durationSeconds: 1, acquireTime: now, renewTime: now };
}
