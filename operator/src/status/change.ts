import { isDeepStrictEqual } from 'node:util';
import type { ApiKeyStatus, AsrModelStatus, Condition, ReconciledKind, TenantStatus } from '@svc-asr/core';
import { mergeConditions } from './conditions.ts';
import type { Finding } from './conditions.ts';

export interface StatusOf {
  ASRModel: AsrModelStatus;
  Tenant: TenantStatus;
  ApiKey: ApiKeyStatus;
}
export type AnyStatus = StatusOf[ReconciledKind];

/** Fields of a status other than the conditions. For a union of kinds, the fields of one of these kinds. */
type Fields<K extends ReconciledKind> = K extends ReconciledKind
  ? { readonly [F in keyof Omit<StatusOf[K], 'conditions'>]?: StatusOf[K][F] | undefined }
  : never;

/** An update of a status. Fields that are not named keep their value. */
export interface StatusNews<K extends ReconciledKind = ReconciledKind> {
  /** New values. A field with the value undefined is removed from the status. */
  fields: Fields<K>;
  findings: readonly Finding[];
  /** Generation that the findings refer to. Absent if they refer to the newest generation. */
  generation?: number;
  /** Set if the resource is being deleted. All other updates of such a resource are ignored. */
  deleting?: true;
}

/** Fields that change with the traffic. If only these fields change, the status is not written at once. */
const SLOW: Record<ReconciledKind, readonly string[]> = {
  ASRModel: ['slots', 'sessions'],
  Tenant: ['credits', 'liveSessions'],
  ApiKey: ['lastUsedAt'],
};

/** Applies an update to a status. */
export function mergeStatus(
  before: AnyStatus,
  { fields, findings, generation }: StatusNews,
  newest: number | undefined,
  nowMs: number,
): AnyStatus {
  const conditions = mergeConditions(before.conditions ?? [], findings, generation ?? newest, nowMs);
  const all = Object.entries({ ...before, ...fields, conditions });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** Returns how soon a changed status must be written: never, after the interval for slow fields, or now. */
export function urgencyOf(kind: ReconciledKind, before: AnyStatus, after: AnyStatus): 'none' | 'later' | 'now' {
  if (isDeepStrictEqual(before, after)) return 'none';
  return isDeepStrictEqual(urgent(kind, before), urgent(kind, after)) ? 'later' : 'now';
}

/**
 * Returns the parts whose change is urgent: everything except slow fields and condition messages, which contain
 * numbers.
 */
function urgent(kind: ReconciledKind, { conditions = [], ...fields }: AnyStatus): object {
  const rest = Object.entries(fields).filter(([name]) => !SLOW[kind].includes(name));
  const states = conditions.map(({ type, status, reason, observedGeneration }: Condition) => [
    type,
    status,
    reason,
    observedGeneration,
  ]);
  return { ...Object.fromEntries(rest), states };
}
