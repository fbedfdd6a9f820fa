import type { Condition } from '@svc-asr/core';
import { redact } from '@svc-asr/runtime';

/** What is the case now, before it is known since when. */
export type Finding = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** The conditions that this operator tells; those of others in the same list are left alone. */
export const CONDITIONS = [
  'Ready',
  'LedgerMissing',
  'Available',
  'Progressing',
  'ArtifactReady',
  'Degraded',
  'ScalingLimited',
  'LoadUnknown',
] as const;

/** Conditions that are good news when they are the case; the others are bad news. */
const GOOD = new Set<string>(['Ready', 'Available', 'ArtifactReady']);
/** Neither good nor bad. */
const NEUTRAL = new Set<string>(['Progressing']);

/** Why a resource is not ready that was deleted: news also where it was not ready before. */
export const DELETION_WAITS = 'DeletionWaits';

const MAX_MESSAGE = 1024;

/** Takes findings into the conditions that were there: the time changes with the status alone. */
export function mergeConditions(
  before: readonly Condition[],
  findings: readonly Finding[],
  generation: number | undefined,
  nowMs: number,
): Condition[] {
  const own = before.filter(({ type }) => (CONDITIONS as readonly string[]).includes(type));
  const merged = new Map(own.map((condition) => [condition.type, condition]));
  for (const { type, status, reason, message } of findings) {
    const known = merged.get(type);
    merged.set(type, {
      type,
      status,
      ...(generation !== undefined && { observedGeneration: generation }),
      lastTransitionTime: known?.status === status ? known.lastTransitionTime : formatTime(nowMs),
      reason,
      message: redact(message).slice(0, MAX_MESSAGE),
    });
  }
  return [...merged.values()].sort((a, b) => orderOf(a.type) - orderOf(b.type));
}

/** The conditions whose status changed, as far as it is news: what was never told and is well is not. */
export function findTransitions(before: readonly Condition[], after: readonly Condition[]): Condition[] {
  return after.filter((condition) => {
    if (NEUTRAL.has(condition.type)) return false;
    const known = before.find(({ type }) => type === condition.type);
    if (known === undefined) return isBad(condition);
    const isHeld = condition.reason === DELETION_WAITS && known.reason !== DELETION_WAITS;
    return isHeld || known.status !== condition.status;
  });
}

/** Whether somebody may have to do something about it. */
export function isBad({ type, status }: Pick<Condition, 'type' | 'status'>): boolean {
  return GOOD.has(type) ? status === 'False' : !NEUTRAL.has(type) && status === 'True';
}

/** As a status writes times: whole seconds. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function orderOf(type: string): number {
  return (CONDITIONS as readonly string[]).indexOf(type);
}
