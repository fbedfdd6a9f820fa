import type { Condition } from '@svc-asr/core';
import { redact } from '@svc-asr/runtime';

/** State of a condition, without its transition time. */
export type Finding = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Conditions that this operator manages. It never writes conditions of other managers in the same list. */
export const CONDITIONS = [
  'Ready',
  'LedgerMissing',
  'UnknownModels',
  'Available',
  'Progressing',
  'ArtifactReady',
  'Degraded',
  'ScalingLimited',
  'LoadUnknown',
] as const;

/** Conditions for which True is good. For all others except the neutral ones, True is bad. */
const GOOD = new Set<string>(['Ready', 'Available', 'ArtifactReady']);
/** Conditions that are neither good nor bad. */
const NEUTRAL = new Set<string>(['Progressing']);

/**
 * Reason of the condition Ready of a resource that was deleted but still exists. A change to this reason is reported
 * even if the resource was not ready before.
 */
export const DELETION_WAITS = 'DeletionWaits';
/** Reasons that are reported even if the status of the condition was the same before. */
const ALWAYS_REPORTED: readonly string[] = [DELETION_WAITS, 'RolledBack'];

const MAX_MESSAGE = 1024;

/**
 * Merges findings into the existing conditions. The transition time of a condition changes only if its status changes.
 */
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
      // A message that did not change was redacted before. Redacting it again would take most of the time of a report.
      message: known?.message === message ? message : redact(message).slice(0, MAX_MESSAGE),
    });
  }
  return [...merged.values()].sort((a, b) => orderOf(a.type) - orderOf(b.type));
}

/**
 * Returns the conditions whose status changed, or whose new reason is always reported. A new condition counts only if
 * it is bad. Neutral conditions never count.
 */
export function findTransitions(before: readonly Condition[], after: readonly Condition[]): Condition[] {
  return after.filter((condition) => {
    if (NEUTRAL.has(condition.type)) return false;
    const known = before.find(({ type }) => type === condition.type);
    if (known === undefined) return isBad(condition);
    const isNotable = ALWAYS_REPORTED.includes(condition.reason) && known.reason !== condition.reason;
    return isNotable || known.status !== condition.status;
  });
}

/** Returns whether a condition reports a problem, on which an administrator may have to act. */
export function isBad({ type, status }: Pick<Condition, 'type' | 'status'>): boolean {
  return GOOD.has(type) ? status === 'False' : !NEUTRAL.has(type) && status === 'True';
}

/** Formats a time for a status, without milliseconds. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function orderOf(type: string): number {
  return (CONDITIONS as readonly string[]).indexOf(type);
}
