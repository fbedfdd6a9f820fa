import { apiVersionOf, TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';

/** Who leads, as a Lease says it. */
export interface LeaseRecord {
  /** Empty: nobody. */
  holder: string;
  /** How long the holder may be silent before others take over. */
  durationSeconds: number;
  acquireTime: string;
  renewTime: string;
  /** How often another one took over. */
  transitions: number;
}

/** Reads a Lease; what is missing counts as nothing. */
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

/** The Lease that says so; `before` is what it replaces, and only that: its version guards the write. */
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

/** A Lease's times have microseconds; with fewer digits the API server refuses them. */
export function formatMicroTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** The record after `identity` took the lease or renewed it. */
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

/** The record after the holder let go: whoever comes next need not wait. */
export function releaseRecord(before: LeaseRecord, nowMs: number): LeaseRecord {
  const now = formatMicroTime(nowMs);
  return { ...before, holder: '', durationSeconds: 1, acquireTime: now, renewTime: now };
}
