import type { EndReason, SessionState } from '@svc-asr/core';
import type { SessionDetailRecord, SessionRecord } from './types.ts';

/** Converts a flat reply (field, value, field, value, …) to a map. */
export function fields(reply: unknown): Map<string, string> {
  const map = new Map<string, string>();
  const flat = reply as string[];
  for (let i = 0; i + 1 < flat.length; i += 2) map.set(String(flat[i]), String(flat[i + 1]));
  return map;
}

/** Converts a reply to a list of numbers. */
export function numbers(reply: unknown): number[] {
  return (reply as unknown[]).map(Number);
}

/** Parses the reply of get_session.lua. Undefined if the session is not known. */
export function sessionDetail(row: readonly unknown[]): SessionDetailRecord | undefined {
  if (row.length === 0) return undefined;
  const [endReason, closeCode] = row.slice(7);
  return {
    ...sessionRecord(row),
    endReason: endReason === '' ? null : (endReason as EndReason),
    closeCode: Number(closeCode) === 0 ? null : Number(closeCode),
  };
}

/**
 * Parses the session rows of usage.lua and sorts them by creation, newest first. Sessions that were created in the same
 * millisecond keep their order, in which the session that was confirmed last comes first.
 */
export function recentSessions(rows: readonly unknown[]): SessionRecord[] {
  return rows.map(sessionRecord).sort((a, b) => b.createdAtMs - a.createdAtMs);
}

/** Parses the hash of a session (see docs/redis.md). Undefined if the session no longer exists. */
export function readSession(id: string, hash: Map<string, string>): SessionRecord | undefined {
  // Version 1 of the schema stores creation time and model in the field `d` (scripts/include/session.lua).
  const [, oldCreated, , , , oldModel] = hash.get('d')?.split(' ') ?? [];
  const [created, model] = [hash.get('created') ?? oldCreated, hash.get('model') ?? oldModel];
  if (model === undefined) return undefined;
  const state = hash.get('st') ?? 'reserved';
  return sessionRecord([id, model, state, hash.get('au') ?? 0, hash.get('bi') ?? 0, created, hash.get('co') ?? 0]);
}

/**
 * Parses the line of an ended session (see scripts/include/recent.lua). Undefined if the line is the id of a live
 * session.
 */
export function readEnded(line: string): SessionRecord | undefined {
  const [id, state, created, completed, audio, billable, model] = line.split(' ');
  return model === undefined ? undefined : sessionRecord([id, model, state, audio, billable, created, completed]);
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
