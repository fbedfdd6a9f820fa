import type { EndReason, SessionState } from '@svc-asr/core';
import type { RedisKeys } from './keys.ts';
import { readOrigin } from './origin.ts';
import type { RedisLink } from './redis/link.ts';
import { fields, readEnded, readSession } from './replies.ts';
import type { ListedSession, SessionRecord } from './types.ts';

/** Page and filter of a list of sessions. */
export interface SessionQuery {
  /** Largest number of sessions to return. */
  limit: number;
  /** Id of the last session of the previous page. If that session is no longer listed, the page is empty. */
  before?: string | undefined;
  state?: SessionState | undefined;
  model?: string | undefined;
  keyId?: string | undefined;
  source?: ListedSession['source'] | undefined;
  endReason?: EndReason | undefined;
}

/** A page of sessions, the newest first. */
export interface SessionPage {
  sessions: ListedSession[];
  hasMore: boolean;
}

/**
 * Creates the functions that read the latest sessions of a tenant. Redis keeps at least the latest 100. The functions
 * write nothing, so that a Redis user without the right to write can call them. An overdue session may therefore still
 * be listed as reserved.
 */
export function createSessionHistory(link: RedisLink, keys: RedisKeys) {
  const readHash = async (tenant: string, id: string) => {
    const key = keys.session(tenant, id);
    return fields(await link.send(key, ['HGETALL', key]));
  };

  function toLive(id: string, hash: Map<string, string>): ListedSession | undefined {
    const session = readSession(id, hash);
    if (session === undefined) return undefined;
    return { ...session, ...hashDetails(hash), endReason: null, closeCode: null };
  }

  const readLines = async (tenant: string) => {
    const key = keys.recent(tenant);
    return (await link.send(key, ['LRANGE', key, '0', '-1'])) as string[];
  };

  return {
    async list(tenant: string, { limit, before, ...filter }: SessionQuery): Promise<SessionPage> {
      const lines = await readLines(tenant);
      const read = await Promise.all(
        lines.map(async (line) => readLine(line) ?? toLive(line, await readHash(tenant, line))),
      );
      const sessions = read.flatMap((session) => session ?? []).sort((a, b) => b.createdAtMs - a.createdAtMs);
      const start = before === undefined ? 0 : sessions.findIndex(({ id }) => id === before) + 1;
      if (before !== undefined && start === 0) return { sessions: [], hasMore: false };
      const found = sessions.slice(start).filter((session) => matches(session, filter));
      return { sessions: found.slice(0, limit), hasMore: found.length > limit };
    },

    /** Returns a session. Undefined if the tenant has no such session, or if it ended too long ago. */
    async find(tenant: string, id: string): Promise<ListedSession | undefined> {
      const line = (await readLines(tenant)).find((each) => each.startsWith(`${id} `));
      if (line !== undefined) return readLine(line);
      const hash = await readHash(tenant, id);
      // A session that is not confirmed yet does not exist for its tenant.
      return hash.has('st') ? toLive(id, hash) : undefined;
    },
  };
}

/**
 * Parses the line of an ended session (scripts/include/recent.lua). Undefined if the line is the id of a live session.
 */
function readLine(line: string): ListedSession | undefined {
  const session = readEnded(line);
  if (session === undefined) return undefined;
  const words = line.split(' ').slice(7);
  const extra = words.at(-1)?.startsWith('|') === true ? words.pop() : undefined;
  const [endReason = null, closeCode = '0'] = words;
  const [, reservedS, ...origin] = extra?.split('|') ?? [];
  return {
    ...session,
    endReason: endReason as EndReason | null,
    closeCode: closeCode === '0' ? null : Number(closeCode),
    reservedMs: reservedS === undefined ? null : Number(reservedS) * 1000,
    ...readOrigin(origin.join('|')),
  };
}

function hashDetails(hash: Map<string, string>): Omit<ListedSession, keyof SessionRecord | 'endReason' | 'closeCode'> {
  const reserved = hash.get('reserved');
  return { reservedMs: reserved === undefined ? null : Number(reserved), ...readOrigin(hash.get('by')) };
}

function matches(session: ListedSession, wanted: Omit<SessionQuery, 'limit' | 'before'>): boolean {
  const names = ['state', 'model', 'keyId', 'source', 'endReason'] as const;
  return names.every((name) => wanted[name] === undefined || session[name] === wanted[name]);
}
