import { createOptions } from '../lib/options.ts';
import type { Environment } from '../lib/options.ts';
import { SCENARIOS } from '../lib/scenarios.ts';
import type { ScenarioName } from '../lib/scenarios.ts';
import { buildPlan } from './build-plan.ts';
import { findRecordings } from './recordings.ts';

const recordings = { files: [{ file: 'a.wav', text: 'a' }], longestSeconds: 9 };
const plan = (scenario: ScenarioName, env: Environment = {}, declared = 100, areFollowed = false) => {
  const options = createOptions(env, SCENARIOS[scenario].defaults);
  return buildPlan(scenario, options, 'm', { declared, areFollowed }, recordings);
};

test('buildPlan plans as many streams as STREAMS sets, or else a share of the declared slots', () => {
  expect(plan('steady').streams).toBe(100);
  expect(plan('soak').streams).toBe(70);
  expect(plan('steady', { STREAMS: '3' }, 0).streams).toBe(3);
  expect(plan('smoke', {}, 0).streams).toBe(4);
});

test('buildPlan plans two virtual users per stream if the number of streams follows the declared slots', () => {
  expect(plan('steady', {}, 100, true)).toMatchObject({ streams: 100, users: 200 });
  expect(plan('steady')).toMatchObject({ streams: 100, users: 100 });
});

test('buildPlan rejects a run that needs the declared slots if they are unknown, and names the option to set', () => {
  expect(() => plan('steady', {}, 0)).toThrow('Set STREAMS, or set OPERATOR_URL to read them');
  expect(() => plan('ramp-to-saturation', {}, 0)).toThrow('Set DECLARED_SLOTS');
});

test('buildPlan adds streams for a spike, so that the spike has SPIKE_PERCENT of the regular number of streams', () => {
  expect(plan('spike', { STREAMS: '10' }).spike).toEqual({ streams: 20, seconds: 30 });
});

test('buildPlan plans as many streams as the last step of a ramp has', () => {
  const { ramp, streams } = plan('ramp-to-saturation', { RAMP_START_PERCENT: '50', RAMP_STEP_PERCENT: '50' });
  expect(ramp?.steps).toEqual([50, 100, 150, 200]);
  expect(streams).toBe(200);
});

test('buildPlan divides the scenario noisy-tenant into pairs of a quiet and a noisy period, and rejects a run shorter than two pairs', () => {
  expect(plan('noisy-tenant').periods).toEqual({ startMs: 0, seconds: 15, count: 20 });
  expect(plan('noisy-tenant', { DURATION_SECONDS: '119' }).periods?.count).toBe(6);
  expect(() => plan('noisy-tenant', { DURATION_SECONDS: '59' })).toThrow('at least four times PERIOD_SECONDS=15');
  expect(plan('steady').periods).toBeNull();
});

test('by default, buildPlan requests contexts only for the scenario mixed-latency', () => {
  expect(plan('mixed-latency').contexts).toHaveLength(5);
  expect(plan('steady').contexts).toEqual([]);
});

test('buildPlan plans at most as many tenants as streams', () => {
  expect(plan('steady', { STREAMS: '2', TENANTS: '5' }).tenants).toBe(2);
});

test('buildPlan rejects sessions that could have more than 300 s of audio', () => {
  const long = { ...recordings, longestSeconds: 30 };
  const options = createOptions({ SESSION_SECONDS: '280', STREAMS: '1' }, {});
  expect(() => buildPlan('steady', options, 'm', { declared: 0, areFollowed: false }, long)).toThrow(
    'would exceed 300 s',
  );
});

test('findRecordings returns the bundled recordings of a model, or the Kikuyu recordings if the model has none', () => {
  const dholuo = findRecordings('', 'svc-asr-dholuo-v1');
  expect(dholuo.files.length).toBeGreaterThan(3);
  expect(dholuo.files.every(({ text }) => text.length > 20)).toBe(true);
  expect(dholuo.longestSeconds).toBeGreaterThan(5);
  expect(findRecordings('', 'svc-asr-other-v1').files[0]?.file).toContain('kikuyu');
  expect(() => findRecordings('/nowhere', 'm')).toThrow('Set RECORDINGS');
});
