import { API_GROUP } from '@svc-asr/core';
import type { Tenant } from '@svc-asr/core';

/** Id and expiry of a session. */
export interface SessionLife {
  readonly id: string;
  readonly expiresAtMs: number;
}

/**
 * Annotation with the sessions that sign-outs have ended and that have not expired yet. Its value is `LIMIT
 * ID:EXPIRY…`, with times in milliseconds. Sessions that expire at LIMIT or earlier have ended too.
 */
export const ENDED_SESSIONS_ANNOTATION = `${API_GROUP}/ended-sessions`;

/** Maximum number of ended sessions that a tenant lists. It bounds the size of the Tenant. */
const MAX_LISTED = 50;

/** Returns true if a sign-out has ended the session. */
export function isSessionEnded(tenant: Tenant, { id, expiresAtMs }: SessionLife): boolean {
  const { limitMs, sessions } = readEnded(tenant);
  return expiresAtMs <= limitMs || sessions.some((session) => session.id === id);
}

/**
 * Adds a session to the list of ended sessions, and removes expired sessions from the list. If the list is full, drops
 * the session that expires first, and sets LIMIT in the annotation to the expiry of the dropped session. This also ends
 * the sessions of other browsers that expire at LIMIT or earlier.
 */
export function withEndedSession(tenant: Tenant, ended: SessionLife, nowMs: number): Tenant {
  const { limitMs, sessions } = readEnded(tenant);
  const listed = [...sessions.filter(({ id }) => id !== ended.id), ended]
    .filter(({ expiresAtMs }) => expiresAtMs > Math.max(nowMs, limitMs))
    .sort((a, b) => a.expiresAtMs - b.expiresAtMs);
  const dropped = listed.splice(0, listed.length - MAX_LISTED);
  const limit = dropped.at(-1)?.expiresAtMs ?? limitMs;
  const value = [limit, ...listed.map(({ id, expiresAtMs }) => `${id}:${expiresAtMs}`)].join(' ');
  const annotations = { ...tenant.metadata.annotations, [ENDED_SESSIONS_ANNOTATION]: value };
  return { ...tenant, metadata: { ...tenant.metadata, annotations } };
}

function readEnded({ metadata }: Tenant): { limitMs: number; sessions: SessionLife[] } {
  const [limit = '', ...entries] = (metadata.annotations?.[ENDED_SESSIONS_ANNOTATION] ?? '').split(' ');
  const sessions = entries.map((entry) => {
    const [id = '', expiresAtMs = ''] = entry.split(':');
    return { id, expiresAtMs: Number(expiresAtMs) };
  });
  return { limitMs: Number(limit), sessions };
}
