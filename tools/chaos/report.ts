import { cpus, totalmem } from 'node:os';
import { FAULTS } from './fault-list.ts';
import type { FaultName } from './fault-list.ts';
import type { InjectedFault } from './injector.ts';
import type { Judgement } from './judgement.ts';
import { longestStallMs } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';

/** Everything that the report shows. */
export interface RunResult {
  readonly command: string;
  readonly seed: number;
  readonly minutes: number;
  readonly faults: readonly InjectedFault[];
  readonly judgement: Judgement;
  readonly accountsLocked: number;
  readonly accountReads: number;
  readonly tenants: number;
  readonly streams: number;
  readonly violations: readonly string[];
  /** All sessions. The report shows their longest stalls. */
  readonly sessions: readonly SessionRecord[];
}

/** One row of the report. */
export interface FaultRow {
  readonly fault: FaultName;
  readonly count: number;
  /** Average number of streams that waited for answers when the fault started. */
  readonly streams: number;
  /** Number of lost sessions. Each one is counted for the fault that explains its loss best. */
  readonly sessionsLost: number;
  /** Longest time for which a stream that ran during the fault got no answer. */
  readonly longestStallMs: number;
  readonly longestRecoveryMs: number;
}

/** Kinds of harm, from the most to the least likely to end a session. */
const HARMS: readonly InjectedFault['harm'][] = ['kills', 'moves', 'separates', 'none'];

/**
 * Returns the fault that best explains why a session was lost. It is the most harmful one, or the latest of several
 * that are equally harmful.
 */
export function findCause(
  { gateway, openedAtMs = 0, endedAtMs = Infinity }: SessionRecord,
  faults: readonly InjectedFault[],
): InjectedFault | undefined {
  const [cause] = faults
    .filter((fault) => (fault.gateway ?? gateway) === gateway && fault.fromMs <= endedAtMs && fault.toMs >= openedAtMs)
    .sort((a, b) => HARMS.indexOf(a.harm) - HARMS.indexOf(b.harm) || b.fromMs - a.fromMs);
  return cause;
}

/** Builds one row for each kind of fault that was injected. */
export function buildRows({ faults, judgement, sessions }: RunResult): FaultRow[] {
  const causes = judgement.lost.map((session) => findCause(session, faults)?.name);
  return (Object.keys(FAULTS) as FaultName[]).flatMap((name) => {
    const own = faults.filter((fault) => fault.name === name);
    if (own.length === 0) return [];
    return {
      fault: name,
      count: own.length,
      streams: own.reduce((sum, { streams }) => sum + streams, 0) / own.length,
      sessionsLost: causes.filter((cause) => cause === name).length,
      longestStallMs: Math.max(...own.map((fault) => longestStallMs(sessions, fault))),
      longestRecoveryMs: Math.max(...own.map(({ recoveryMs }) => recoveryMs)),
    };
  });
}

/** Builds the report as Markdown. */
export function buildReport(result: RunResult): string {
  const { judgement, faults } = result;
  const pairs = faults.filter((fault) => {
    return faults.some((other) => other !== fault && other.fromMs <= fault.toMs && other.toMs >= fault.fromMs);
  });
  const facts: readonly (readonly [string, string])[] = [
    ['command', `\`${result.command}\``],
    ['seed', String(result.seed)],
    ['machine', `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['duration', `${result.minutes} min`],
    ['faults injected', `${faults.length} (${pairs.length} at the same time as another fault)`],
    ['tenants, streams', `${result.tenants}, ${result.streams}`],
    ['sessions', `${judgement.sessions} (${judgement.protectedSessions} protected)`],
    ['account reads', String(result.accountReads)],
    ['sessions lost', `${judgement.lost.length} (${judgement.protectedLost} protected)`],
    ['credit lost', `${judgement.creditLostMs} ms`],
    ['double charges', String(judgement.doubleCharges)],
    ['longest stall', seconds(judgement.longestStallMs)],
    ['accounts locked at the end', String(result.accountsLocked)],
    ['violations', String(result.violations.length)],
  ];
  const rows = buildRows(result).map(
    ({ fault, count, streams, sessionsLost, longestStallMs: stallMs, longestRecoveryMs }) => {
      const cells = [fault, count, streams.toFixed(1), sessionsLost, seconds(stallMs), seconds(longestRecoveryMs)];
      return `| ${cells.join(' | ')} |`;
    },
  );
  return [
    '| | |',
    '|---|---|',
    ...facts.map(([name, value]) => `| ${name} | ${value} |`),
    '',
    '| fault | count | streams | sessions lost | longest stall | recovery |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    ...result.violations.map((violation) => `- ${violation}`),
  ].join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
