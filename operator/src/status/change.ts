import { isDeepStrictEqual } from 'node:util';
import type { ApiKeyStatus, AsrModelStatus, Condition, Kind, TenantStatus } from '@svc-asr/core';
import { mergeConditions } from './conditions.ts';
import type { Finding } from './conditions.ts';

export interface StatusOf {
  ASRModel: AsrModelStatus;
  Tenant: TenantStatus;
  ApiKey: ApiKeyStatus;
}
export type AnyStatus = StatusOf[Kind];

/** The fields of a status that are no conditions; of any of the kinds, where it may be any. */
type Fields<K extends Kind> = K extends Kind
  ? { readonly [F in keyof Omit<StatusOf[K], 'conditions'>]?: StatusOf[K][F] | undefined }
  : never;

/** What is newly known of a resource; fields that are not named stay as they were. */
export interface StatusNews<K extends Kind = Kind> {
  /** Undefined: there is no such thing any more. */
  fields: Fields<K>;
  findings: readonly Finding[];
  /** The generation that the findings are about; absent: the newest. */
  generation?: number;
  /** They are about a resource that is being deleted; of such a one nothing else is told. */
  leaving?: true;
}

/** Fields that follow the traffic: each change of them is no reason to write at once. */
const SLOW: Record<Kind, readonly string[]> = {
  ASRModel: ['slots', 'sessions'],
  Tenant: ['credits', 'liveSessions'],
  ApiKey: ['lastUsedAt'],
};

/** The status that the news make of the one before. */
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

/** How soon a status has to be written: not at all, when the last time is long enough ago, or now. */
export function urgencyOf(kind: Kind, before: AnyStatus, after: AnyStatus): 'none' | 'later' | 'now' {
  if (isDeepStrictEqual(before, after)) return 'none';
  return isDeepStrictEqual(urgent(kind, before), urgent(kind, after)) ? 'later' : 'now';
}

/** What people and machines wait for: all but the slow fields and the words of conditions, which hold numbers. */
function urgent(kind: Kind, { conditions = [], ...fields }: AnyStatus): object {
  const rest = Object.entries(fields).filter(([name]) => !SLOW[kind].includes(name));
  const states = conditions.map(({ type, status, reason, observedGeneration }: Condition) => [
    type,
    status,
    reason,
    observedGeneration,
  ]);
  return { ...Object.fromEntries(rest), states };
}
