import type { LedgerChecker, SeenEntry } from './checker.ts';
import { judge, judgeUnknown } from './oracle.ts';
import type { Impact } from './oracle.ts';
import type { LostTail } from './replication.ts';
import { longestStallMs } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';
import type { Timeline } from './timeline.ts';

/** Sums over all sessions of a run. */
export interface Judgement {
  readonly sessions: number;
  /** Number of sessions that no injected fault was allowed to end. */
  readonly protectedSessions: number;
  readonly lost: readonly SessionRecord[];
  readonly protectedLost: number;
  readonly creditLostMs: number;
  readonly doubleCharges: number;
  readonly longestStallMs: number;
}

/** Data by which sessions are judged. */
export interface JudgeContext {
  readonly checker: Pick<LedgerChecker, 'journal'>;
  readonly tenants: readonly string[];
  /** Ids of the sessions that the run itself created before the load. They are not judged. */
  readonly ignored: ReadonlySet<string>;
  readonly impacts: readonly Impact[];
  /** Periods whose writes failovers may have lost. */
  readonly tails: readonly LostTail[];
}

/** Judges every session of a run, also those that only the ledger knows. Adds a violation for each problem. */
export function judgeAll(records: readonly SessionRecord[], context: JudgeContext, timeline: Timeline): Judgement {
  const { checker, tenants, ignored, impacts, tails } = context;
  const known = new Set(records.map(({ id }) => id));
  const bySession = new Map<string, SeenEntry[]>();
  for (const entry of tenants.flatMap((tenant) => checker.journal(tenant))) {
    if (entry.type === 'grant') continue;
    bySession.set(entry.subject, [...(bySession.get(entry.subject) ?? []), entry]);
  }
  const verdicts = records.map((record) => {
    const verdict = judge(record, bySession.get(record.id) ?? [], impacts, tails);
    for (const problem of verdict.problems) timeline.violate(describe(record, problem));
    return { record, verdict };
  });
  let unknownMs = 0;
  for (const [id, entries] of bySession) {
    if (known.has(id) || ignored.has(id)) continue;
    const problem = judgeUnknown(entries);
    if (problem === undefined) continue;
    timeline.violate(`session ${id} ${problem}`);
    unknownMs += chargeOf(entries);
  }
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    sessions: records.length,
    protectedSessions: verdicts.filter(({ verdict }) => verdict.isProtected).length,
    lost: verdicts.filter(({ verdict }) => verdict.isLost).map(({ record }) => record),
    protectedLost: verdicts.filter(({ verdict }) => verdict.isLost && verdict.isProtected).length,
    creditLostMs: unknownMs + sum(verdicts.map(({ verdict }) => verdict.lostMs)),
    doubleCharges: verdicts.filter(({ verdict }) => verdict.isDoubleCharge).length,
    longestStallMs: longestStallMs(records, { fromMs: 0, toMs: Infinity }),
  };
}

function chargeOf(entries: readonly SeenEntry[]): number {
  return entries.reduce((total, { consumed }) => total + consumed, 0);
}

/** Describes a problem. The text contains the times that help to find the cause in the timeline. */
function describe(record: SessionRecord, problem: string): string {
  const { id, tenant, gateway, openedAtMs = NaN, endedAtMs = NaN, ending, sentSamples, answeredMs } = record;
  const life = `${(openedAtMs / 1000).toFixed(2)} s to ${(endedAtMs / 1000).toFixed(2)} s`;
  const audio = `sent ${Math.round(sentSamples / 16)} ms, answered ${answeredMs} ms`;
  return `session ${id} of ${tenant} ${problem} (gateway ${gateway}, ${life}, ${ending}, ${audio})`;
}
