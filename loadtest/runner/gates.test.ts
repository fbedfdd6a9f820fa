import { CHECKS, METRICS } from '../lib/thresholds.ts';
import { judgeGates, judgeRefusals } from './gates.ts';
import { balancesOf, checkResult, counter, metricsOf, trend } from './testing/metrics.ts';

/** Returns the failed gates with their details. */
function failures(...[metrics, balances]: Parameters<typeof judgeGates>): string[] {
  return judgeGates(metrics, balances)
    .filter(({ passed }) => !passed)
    .map(({ name, detail }) => `${name}: ${detail}`);
}

test('judgeGates passes a correct run', () => {
  expect(failures(metricsOf(), [balancesOf(6000)])).toEqual([]);
});

test('judgeGates fails a run without finals', () => {
  expect(failures(metricsOf({ final_latency: trend(0, 0) }), [balancesOf(6000)])).toEqual([
    'sessions were served: 2 sessions, 0 finals',
  ]);
});

test('judgeGates fails if a session was created and never ended', () => {
  expect(failures(metricsOf({ sessions: counter(3) }), [balancesOf(6000)])).toEqual(['every session ended: 2 of 3']);
});

test.each(Object.values(CHECKS))('judgeGates fails if k6 reports a session that fails the check "%s"', (name) => {
  expect(failures(metricsOf({ [METRICS.check(name)]: checkResult(1, 1) }), [balancesOf(6000)])).toEqual([
    `${name}: 1 of 2`,
  ]);
});

test('judgeGates fails if the balances do not add up to the granted credit', () => {
  expect(failures(metricsOf(), [balancesOf(6000, { availableMs: 3_593_999 })])).toEqual([
    'balances add up to the granted credit: t: 3599999 ms of 3600000 ms',
  ]);
});

test('judgeGates fails if credit stays reserved after the run', () => {
  expect(failures(metricsOf(), [balancesOf(6000, { reservedMs: 60_000 })])).toEqual([
    'no credit stays reserved: t: 60000 ms, 1 sessions',
  ]);
});

test.each([
  ['too little', balancesOf(5000), '5000 ms, not 6000 ms'],
  ['too much', balancesOf(7000), '7000 ms, not 6000 ms'],
  [
    'a total that differs from the sum of its sessions',
    balancesOf(6000, { billableMs: 9000 }),
    'sessions sum up to 9000 ms',
  ],
])('judgeGates fails if the service charges %s', (_name, balances, detail) => {
  const found = failures(metricsOf(), [balances]);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(detail);
});

test('for sessions that did not end normally, judgeGates accepts any charge up to the duration of their audio', () => {
  const metrics = metricsOf({ [METRICS.unclear('t')]: counter(3000) });
  expect(failures(metrics, [balancesOf(6000)])).toEqual([]);
  expect(failures(metrics, [balancesOf(9000)])).toEqual([]);
  expect(failures(metrics, [balancesOf(10_000)])).toHaveLength(1);
});

test('judgeGates fails if GET /v1/usage reports another balance than the admin API', () => {
  const balances = balancesOf(6000);
  const different = { ...balances, ownView: { ...balances.ownView, consumed_ms: 0 } };
  expect(failures(metricsOf(), [different])).toEqual([
    'GET /v1/usage returns the same balance: t: consumed 0 ms, not 6000 ms',
  ]);
});

test('judgeGates lists only the first tenants with a wrong balance', () => {
  const wrong = Array.from({ length: 7 }, () => balancesOf(6000, { reservedMs: 1 }));
  expect(failures(metricsOf(), wrong)[0]).toMatch(/(t: 1 ms, 1 sessions; ){4}t: 1 ms, 1 sessions and 2 more$/);
});

test('judgeRefusals allows at most a tenth of the sessions to be refused', () => {
  expect(judgeRefusals(metricsOf({ sessions: counter(90), session_refusals: counter(10) }))).toMatchObject({
    passed: true,
    detail: '10 of 100',
  });
  expect(judgeRefusals(metricsOf({ sessions: counter(89), session_refusals: counter(11) })).passed).toBe(false);
});
