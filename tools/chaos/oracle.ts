import type { JournalEntry } from '@svc-asr/ledger';
import type { FaultKind } from './fault-list.ts';
import type { LostTail } from './replication.ts';
import type { SessionRecord } from './session-record.ts';
import { LEASE_MS, RENEW_MS, WORKERS_LOST_MAX } from './settings.ts';

/** A fault that was injected. Times are milliseconds since the start of the run. */
export interface Impact {
  readonly harm: FaultKind['harm'];
  /** Gateway that was hit. Undefined if the fault affected all gateways. */
  readonly gateway: number | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Judgement about one session. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly isLost: boolean;
  /** True if the service guarantees that the faults of the run do not end this session. */
  readonly isProtected: boolean;
  /** Credit that the tenant was charged above the largest correct charge. */
  readonly lostMs: number;
  readonly isDoubleCharge: boolean;
}

const ENDS = new Set<JournalEntry['type']>(['settle', 'fail', 'expire', 'cancel']);
/**
 * Two separations of a gateway from Redis count as one if at most this much time is between them. In that time, the
 * gateway might not have renewed its lease.
 */
const MERGE_MS = RENEW_MS + 1000;
/** Longest separation from Redis after which a gateway certainly still has its lease. */
const SEPARATED_MAX_MS = LEASE_MS - RENEW_MS;

/** Longest time between a write of the service to Redis and the answer to the client. */
const ANSWERED_WITHIN_MS = 3000;

/**
 * Compares the charge of a session with what its client sent and received. `entries` are the journal entries of the
 * session.
 */
export function judge(
  record: SessionRecord,
  entries: readonly (JournalEntry & { readonly seenAtMs: number })[],
  impacts: readonly Impact[],
  tails: readonly LostTail[] = [],
): Verdict {
  const ends = entries.filter(({ type }) => ENDS.has(type));
  const [end] = ends;
  const chargedMs = ends.reduce((sum, { consumed }) => sum + consumed, 0);
  const isProtected = isProtectedFrom(record, end?.seenAtMs ?? Infinity, impacts);
  const isLost = record.ending === 'lost';
  const { leastMs, mostMs } = allowedCharge(record);
  const problems: string[] = [];
  const writesLost = findLostWrites(record, end?.seenAtMs ?? Infinity, tails);
  // A failover that lost the reservation also removed it from the journal.
  const isUnknown = entries.length === 0 && writesLost.has('reservation');
  if (ends.length === 0 && !isUnknown) problems.push('has not ended');
  if (ends.length > 1) problems.push(`ended ${ends.length} times (${ends.map(({ type }) => type).join(', ')})`);
  if (isLost && isProtected) problems.push(`was lost with ${record.closeCode} although it is protected`);
  if (chargedMs > mostMs) problems.push(`was charged ${chargedMs} ms instead of at most ${mostMs} ms`);
  const isCharged = end?.type === 'settle';
  const mustPay = mustBeCharged(record, isProtected) && writesLost.size === 0;
  if (isCharged ? chargedMs < Math.min(leastMs, mostMs) : mustPay) {
    problems.push(`was charged ${chargedMs} ms instead of at least ${leastMs} ms`);
  }
  return {
    problems,
    isLost,
    isProtected,
    lostMs: Math.max(0, chargedMs - mostMs),
    isDoubleCharge: ends.filter(({ consumed }) => consumed > 0).length > 1,
  };
}

/** Returns the problem of a session that no client knows, because the answer to its POST was lost. */
export function judgeUnknown(entries: readonly JournalEntry[]): string | undefined {
  const ends = entries.filter(({ type }) => ENDS.has(type));
  const chargedMs = ends.reduce((sum, { consumed }) => sum + consumed, 0);
  if (ends.length !== 1) return `ended ${ends.length} times`;
  return chargedMs === 0 ? undefined : `was charged ${chargedMs} ms, but no client had it`;
}

/** Returns the smallest and the largest correct charge if the session was settled. */
function allowedCharge(record: SessionRecord): { leastMs: number; mostMs: number } {
  const { ending, sentSamples, answeredMs, reservedMs } = record;
  const sentMs = Math.min(reservedMs, 1000 * Math.ceil(sentSamples / 16_000));
  const answered = Math.min(reservedMs, 1000 * Math.ceil(answeredMs / 1000));
  if (ending === 'closed' || ending === 'limit') return { leastMs: sentMs, mostMs: sentMs };
  if (ending === 'left') return { leastMs: answered, mostMs: sentMs };
  return { leastMs: 0, mostMs: 0 };
}

function mustBeCharged({ ending, sentSamples }: SessionRecord, isProtected: boolean): boolean {
  return isProtected && sentSamples > 0 && (ending === 'closed' || ending === 'limit');
}

/**
 * Returns which writes of a session may have been lost by a failover. `settledAtMs` is the time at which the end of the
 * session was first seen in the journal.
 */
function findLostWrites(
  { createdAtMs, openedAtMs, endedAtMs }: SessionRecord,
  settledAtMs: number,
  tails: readonly LostTail[],
): ReadonlySet<'reservation' | 'connect' | 'settlement'> {
  const times = [
    ['reservation', createdAtMs - ANSWERED_WITHIN_MS, createdAtMs],
    ['connect', (openedAtMs ?? Infinity) - ANSWERED_WITHIN_MS, openedAtMs ?? Infinity],
    ['settlement', (endedAtMs ?? Infinity) - ANSWERED_WITHIN_MS, settledAtMs],
  ] as const;
  const lost = times.filter(([, fromMs, toMs]) => tails.some((tail) => tail.fromMs <= toMs && tail.toMs >= fromMs));
  return new Set(lost.map(([write]) => write));
}

function isProtectedFrom(record: SessionRecord, settledAtMs: number, impacts: readonly Impact[]): boolean {
  const { gateway, openedAtMs, utterances } = record;
  if (gateway === undefined || openedAtMs === undefined) return false;
  const own = impacts.filter(
    (impact) =>
      (impact.gateway ?? gateway) === gateway && impact.fromMs <= settledAtMs && impact.toMs >= openedAtMs - MERGE_MS,
  );
  if (own.some(({ harm, toMs }) => harm === 'kills' && toMs >= openedAtMs)) return false;
  if (longestSeparation(own.filter(({ harm }) => harm === 'separates')) > SEPARATED_MAX_MS) return false;
  const moves = impacts.filter(({ harm }) => harm === 'moves');
  return utterances.every(({ fromMs, toMs = settledAtMs }) => {
    return moves.filter((move) => move.fromMs <= toMs && move.toMs >= fromMs).length <= WORKERS_LOST_MAX;
  });
}

/** Returns the longest time for which a gateway was separated from Redis. Separations within MERGE_MS count as one. */
function longestSeparation(separations: readonly Impact[]): number {
  let longest = 0;
  let [fromMs, toMs] = [-Infinity, -Infinity];
  for (const next of [...separations].sort((a, b) => a.fromMs - b.fromMs)) {
    if (next.fromMs - toMs > MERGE_MS) fromMs = next.fromMs;
    toMs = Math.max(toMs, next.toMs);
    longest = Math.max(longest, toMs - fromMs);
  }
  return longest;
}
