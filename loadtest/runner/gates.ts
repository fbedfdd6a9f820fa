// The load test image has no npm packages, so this does not import @svc-asr/core.
import { billableMs } from '../../packages/core/src/audio.ts';
import type { SessionRecord } from '../lib/record.ts';
import type { Balances } from './balances.ts';
import type { Records } from './records.ts';

/** Result of a check that every run must pass, whatever its load. */
export interface Gate {
  readonly name: string;
  readonly passed: boolean;
  readonly detail: string;
}

const NORMAL_CLOSURE = 1000;
const NO_CAPACITY = 4503;
/** Number of cases that a detail lists. */
const MAX_CASES = 5;

/** Checks the correctness of a run. */
export function judgeGates(records: Records, balances: readonly Balances[], mayBeRefused: boolean): Gate[] {
  const { created, sessions, utterances, refusals } = records;
  const ended = new Set(sessions.map(({ session }) => session));
  const served = sessions.filter(({ closeCode }) => !(mayBeRefused && closeCode === NO_CAPACITY));
  return [
    gate(
      'sessions were served',
      served.some(({ finals }) => finals > 0) ? [] : ['none got a final'],
      `${served.length} sessions, ${utterances.length} utterances`,
    ),
    gate(
      'every session ended',
      created.filter(({ session }) => !ended.has(session)).map(({ session }) => `${session} did not end`),
      `${created.length} created, ${sessions.length} ended`,
    ),
    gate(
      'every flush got its final',
      [
        ...utterances.filter(({ final }) => final === null).map(({ session }) => `${session} got none`),
        ...served
          .filter(hasMissingFinals)
          .map(({ session, utterances: count, finals }) => `${session}: ${finals} of ${count}`),
      ],
      `${utterances.length} utterances`,
    ),
    gate(
      'no event was lost, repeated or out of order',
      served.flatMap(({ session, faults }) => faults.map((fault) => `${session}: ${fault}`)),
      `${served.length} streams`,
    ),
    gate(
      'every stream closed normally',
      served
        .filter(({ closeCode }) => closeCode !== NORMAL_CLOSURE)
        .map(({ session, closeCode }) => `${session}: ${closeCode}`),
      `close code ${NORMAL_CLOSURE}`,
    ),
    judgeRefusals(refusals, mayBeRefused),
    ...judgeBalances(records, balances),
  ];
}

function hasMissingFinals({ utterances, finals }: SessionRecord): boolean {
  return utterances === 0 || finals !== utterances;
}

function judgeRefusals(refusals: Records['refusals'], mayBeRefused: boolean): Gate {
  const name = mayBeRefused ? 'every refusal is 429 or 503 with Retry-After' : 'no session was refused';
  const isProper = ({ status, retryAfterSeconds }: Records['refusals'][number]) =>
    (status === 429 || status === 503) && retryAfterSeconds !== null;
  const wrong = refusals.filter((refusal) => !mayBeRefused || !isProper(refusal));
  return gate(
    name,
    wrong.map(({ status, code }) => `${status} ${code}`),
    `${refusals.length} refused`,
  );
}

function judgeBalances({ sessions }: Records, balances: readonly Balances[]): Gate[] {
  const problems = (check: (entry: Balances) => string | undefined) =>
    balances.flatMap((entry) => {
      const problem = check(entry);
      return problem === undefined ? [] : [`${entry.tenant}: ${problem}`];
    });
  const consumedMs = balances.reduce((sum, { account }) => sum + account.credits.consumed_ms, 0);
  return [
    gate(
      'balances add up: available + reserved + consumed = granted',
      problems(({ account: { credits } }) => {
        const sum = credits.available_ms + credits.reserved_ms + credits.consumed_ms;
        return sum === credits.granted_ms ? undefined : `${sum} ms of ${credits.granted_ms} ms`;
      }),
      `${balances.length} tenants`,
    ),
    gate(
      'GET /v1/usage returns the same balance',
      problems(({ account: { credits }, balance }) =>
        balance.available_ms === credits.available_ms && balance.consumed_ms === credits.consumed_ms
          ? undefined
          : `consumed ${balance.consumed_ms} ms, not ${credits.consumed_ms} ms`,
      ),
      `${balances.length} tenants`,
    ),
    gate(
      'no credit stays reserved',
      problems(({ account }) =>
        account.credits.reserved_ms === 0 && account.live_sessions === 0
          ? undefined
          : `${account.credits.reserved_ms} ms, ${account.live_sessions} sessions`,
      ),
      'no live sessions',
    ),
    gate(
      'consumed credit is the streamed audio, each session rounded up to the second',
      problems(({ tenant, account, usage }) => {
        const own = sessions.filter((session) => session.tenant === tenant);
        const expectedMs = own.filter(isCharged).reduce((sum, { samples }) => sum + billableMs(samples), 0);
        // The client cannot know whether a session that did not close normally was charged.
        const maxMs = own.reduce((sum, { samples }) => sum + billableMs(samples), 0);
        const consumed = account.credits.consumed_ms;
        if (consumed < expectedMs || consumed > maxMs) return `${consumed} ms, not ${expectedMs} ms`;
        return usage.billableMs === consumed
          ? undefined
          : `${consumed} ms, but sessions sum up to ${usage.billableMs} ms`;
      }),
      `${consumedMs / 1000} s`,
    ),
  ];
}

function isCharged({ closeCode, finals, utterances }: SessionRecord): boolean {
  return closeCode === NORMAL_CLOSURE && finals === utterances;
}

function gate(name: string, problems: readonly string[], summary: string): Gate {
  const more = problems.length > MAX_CASES ? ` and ${problems.length - MAX_CASES} more` : '';
  const detail = problems.length === 0 ? summary : `${problems.slice(0, MAX_CASES).join('; ')}${more}`;
  return { name, passed: problems.length === 0, detail };
}
