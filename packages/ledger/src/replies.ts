import type { SessionState } from '@svc-asr/core';
import type { SessionRecord } from './types.ts';

/** A reply of field, value, field, value … as a map. */
export function fields(reply: unknown): Map<string, string> {
  const map = new Map<string, string>();
  const flat = reply as string[];
  for (let i = 0; i + 1 < flat.length; i += 2) map.set(String(flat[i]), String(flat[i + 1]));
  return map;
}

/** A reply of integers. */
export function numbers(reply: unknown): number[] {
  return (reply as unknown[]).map(Number);
}

/** The rows of usage.lua, newest created first; of the same millisecond the one confirmed last. */
export function recentSessions(rows: readonly unknown[]): SessionRecord[] {
  return rows.map(sessionRecord).sort((a, b) => b.createdAtMs - a.createdAtMs);
}

function sessionRecord(row: unknown): SessionRecord {
  const [id, model, state, audio, billable, created, completed] = row as string[];
  return {
    id: String(id),
    model: String(model),
    state: state as SessionState,
    audioMs: Number(audio),
    billableMs: Number(billable),
    createdAtMs: Number(created),
    completedAtMs: Number(completed) === 0 ? null : Number(completed),
  };
}
