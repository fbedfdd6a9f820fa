import { buildThresholds, CHECKS, NOISE_CHECK } from './thresholds.ts';

const plan = {
  callers: [{ tenant: 't', key: 'k', role: 'regular' as const }],
  contexts: [],
  lagLimitMs: 50,
  limits: { delta: 300, final: 600, ready: 1000 },
  ramp: null,
  periods: null,
  requiresLatency: true,
};

test('if the scenario must meet the latency targets, buildThresholds limits the latencies of regular tenants and the lag of the load test', () => {
  expect(buildThresholds(plan)).toMatchObject({
    'delta_latency{role:regular}': ['p(95)<=300'],
    'final_latency{role:regular}': ['p(95)<=600'],
    'ready_latency{role:regular}': ['p(95)<=1000'],
    lag: ['p(95)<=50'],
  });
});

test('buildThresholds sets no limits for latencies and for the lag of the load test if the scenario is no ramp and need not meet the latency targets', () => {
  expect(buildThresholds({ ...plan, requiresLatency: false })).toMatchObject({
    'delta_latency{role:regular}': [],
    lag: [],
  });
});

test('buildThresholds requires every check of every session to pass', () => {
  const thresholds = buildThresholds({ ...plan, requiresLatency: false });
  for (const name of Object.values(CHECKS)) expect(thresholds[`checks{check:${name}}`]).toEqual(['rate==1']);
});

test('buildThresholds limits the delta latency of each context', () => {
  expect(buildThresholds({ ...plan, contexts: [[56, 0]] })).toMatchObject({
    'delta_latency{context:56-0}': ['p(95)<=300'],
  });
});

test('buildThresholds measures each step of a ramp separately, and limits the lag with which the load test sends audio', () => {
  const ramp = { steps: [70, 80], stepSeconds: 60, settleSeconds: 5 };
  expect(buildThresholds({ ...plan, ramp, requiresLatency: false })).toMatchObject({
    'delta_latency{step:70}': [],
    'ready_latency{step:80}': [],
    'session_refusals{step:80}': [],
    lag: ['p(95)<=50'],
  });
});

const periods = { startMs: 0, seconds: 15, count: 4 };

test('buildThresholds measures quiet and noisy periods separately, and sets no limits for them', () => {
  expect(buildThresholds({ ...plan, periods })).toMatchObject({
    'delta_latency{period:noisy}': [],
    'http_req_duration{name:create session,period:quiet}': [],
    'final_latency{period:quiet,half:second}': [],
  });
});

test('buildThresholds counts the refused requests of a noisy tenant, and requires that every response to that tenant passes NOISE_CHECK', () => {
  const callers = [{ tenant: 'n', key: 'k', role: 'noisy' as const }];
  expect(buildThresholds({ ...plan, periods, callers })).toMatchObject({
    'noise_answers{kind:request,answer:refused}': [],
    [`checks{check:${NOISE_CHECK}}`]: ['rate==1'],
  });
});

test('buildThresholds uses check names without the characters that k6 uses as separators', () => {
  for (const name of [...Object.values(CHECKS), NOISE_CHECK]) expect(name).toMatch(/^[a-z ]+$/);
});
