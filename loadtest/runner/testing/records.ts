import type { SessionRecord, UtteranceRecord } from '../../lib/record.ts';
import type { Balances } from '../balances.ts';
import type { Records } from '../records.ts';

/** Creates the record of a successful session with 2.5 s of audio and one utterance. */
export function session(name: string, changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    kind: 'session',
    session: name,
    tenant: 't',
    role: 'regular',
    context: '',
    createMs: 5,
    openedAtMs: 1000,
    readyMs: 20,
    endedAtMs: 5000,
    samples: 40_000,
    utterances: 1,
    finals: 1,
    closeCode: 1000,
    faults: [],
    ...changes,
  };
}

export function utterance(name: string, changes: Partial<UtteranceRecord> = {}): UtteranceRecord {
  return {
    kind: 'utterance',
    session: name,
    role: 'regular',
    context: '',
    utterance: 1,
    deltas: [[2000, 40]],
    final: [4000, 50],
    lagsMs: [1, 2],
    words: 10,
    wordErrors: 2,
    ...changes,
  };
}

/** Creates records of sessions, all of which were created. */
export function recordsOf(
  sessions: SessionRecord[],
  utterances: UtteranceRecord[],
  refusals: Records['refusals'] = [],
): Records {
  const created = sessions.map(({ session: name, tenant }) => ({
    kind: 'created' as const,
    session: name,
    tenant,
    atMs: 900,
  }));
  return { created, sessions, utterances, refusals };
}

/** Creates balances of a tenant with one hour of credit, of which `consumedMs` is consumed. */
export function balancesOf(
  consumedMs: number,
  changes: { reservedMs?: number; availableMs?: number; billableMs?: number } = {},
): Balances {
  const { reservedMs = 0, availableMs = 3_600_000 - consumedMs - reservedMs, billableMs = consumedMs } = changes;
  const credits = {
    granted_ms: 3_600_000,
    available_ms: availableMs,
    reserved_ms: reservedMs,
    consumed_ms: consumedMs,
  };
  const account = { credits, live_sessions: reservedMs === 0 ? 0 : 1 };
  return { tenant: 't', account, usage: { sessions: 1, billableMs }, balance: credits };
}
