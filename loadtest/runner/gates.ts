import { CHECKS, METRICS } from '../lib/thresholds.ts';
import { countOf, meetsThresholds } from './k6-metrics.ts';
import type { K6Metrics } from './k6-metrics.ts';
import type { Balances } from './admin.ts';

/** Result of a check. If a check fails, the run fails, whatever its load. */
export interface Gate {
  readonly name: string;
  readonly passed: boolean;
  readonly detail: string;
}

/**
 * Largest share of refused sessions in a run that adjusts the number of its streams to the declared slots. Such a run
 * may have refusals, because the number of slots may decrease while a session starts.
 */
const MAX_REFUSED_SHARE = 0.1;

/** Maximum number of tenants that the details of a gate list. */
const MAX_CASES = 5;

/** Checks whether a run was correct. k6 logs each stream and each refusal that fails a check of k6. */
export function judgeGates(metrics: K6Metrics, balances: readonly Balances[]): Gate[] {
  const checks = Object.values(CHECKS).map((name): Gate => {
    const { passes = 0, fails = 0 } = metrics[METRICS.check(name)]?.values ?? {};
    return { name, passed: meetsThresholds(metrics, METRICS.check(name)), detail: `${passes} of ${passes + fails}` };
  });
  const { passes = 0, fails = 0 } = metrics[METRICS.check(CHECKS.closed)]?.values ?? {};
  const [created, ended, finals] = [countOf(metrics, 'sessions'), passes + fails, countOf(metrics, 'final_latency')];
  return [
    { name: 'sessions were served', passed: finals > 0, detail: `${created} sessions, ${finals} finals` },
    { name: 'every session ended', passed: created === ended, detail: `${ended} of ${created}` },
    ...checks,
    ...judgeBalances(metrics, balances),
  ];
}

/** Checks that few sessions were refused, in a run that adjusts the number of its streams to the declared slots. */
export function judgeRefusals(metrics: K6Metrics): Gate {
  const [created, refused] = [countOf(metrics, 'sessions'), countOf(metrics, 'session_refusals')];
  return {
    name: `at most ${MAX_REFUSED_SHARE * 100} % of the sessions were refused`,
    passed: refused <= MAX_REFUSED_SHARE * (created + refused),
    detail: `${refused} of ${created + refused}`,
  };
}

function judgeBalances(metrics: K6Metrics, balances: readonly Balances[]): Gate[] {
  const gate = (name: string, summary: string, check: (entry: Balances) => string | undefined): Gate => {
    const problems = balances.flatMap((entry) => {
      const problem = check(entry);
      return problem === undefined ? [] : [`${entry.tenant}: ${problem}`];
    });
    const more = problems.length > MAX_CASES ? ` and ${problems.length - MAX_CASES} more` : '';
    const detail = problems.length === 0 ? summary : `${problems.slice(0, MAX_CASES).join('; ')}${more}`;
    return { name, passed: problems.length === 0, detail };
  };
  const consumedMs = balances.reduce((sum, { credits }) => sum + credits.consumed_ms, 0);
  return [
    gate('balances add up to the granted credit', `${balances.length} tenants`, ({ credits }) => {
      const sum = credits.available_ms + credits.reserved_ms + credits.consumed_ms;
      return sum === credits.granted_ms ? undefined : `${sum} ms of ${credits.granted_ms} ms`;
    }),
    gate('GET /v1/usage returns the same balance', `${balances.length} tenants`, ({ credits, ownView }) =>
      ownView.available_ms === credits.available_ms && ownView.consumed_ms === credits.consumed_ms
        ? undefined
        : `consumed ${ownView.consumed_ms} ms, not ${credits.consumed_ms} ms`,
    ),
    gate('no credit stays reserved', 'no live sessions', ({ credits, liveSessions }) =>
      credits.reserved_ms === 0 && liveSessions === 0
        ? undefined
        : `${credits.reserved_ms} ms, ${liveSessions} sessions`,
    ),
    gate(
      'consumed credit is the streamed audio, each session rounded up to the second',
      `${consumedMs / 1000} s`,
      ({ tenant, credits: { consumed_ms: consumed }, billableMs }) => {
        const expected = countOf(metrics, METRICS.charged(tenant));
        const most = expected + countOf(metrics, METRICS.unclear(tenant));
        if (consumed < expected || consumed > most) return `${consumed} ms, not ${expected} ms`;
        return billableMs === consumed ? undefined : `${consumed} ms, but sessions sum up to ${billableMs} ms`;
      },
    ),
  ];
}
