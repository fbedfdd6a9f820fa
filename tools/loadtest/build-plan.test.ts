import { createOptions } from '../../loadtest/lib/options.ts';
import type { Environment } from '../../loadtest/lib/options.ts';
import { SCENARIOS } from '../../loadtest/lib/scenarios.ts';
import type { ScenarioName } from '../../loadtest/lib/scenarios.ts';
import { buildPlan } from './build-plan.ts';
import { findRecordings } from './recordings.ts';

const recordings = { files: [{ file: 'a.wav', text: 'a' }], longestSeconds: 9 };
const plan = (scenario: ScenarioName, env: Environment = {}, slots = 100) =>
  buildPlan(scenario, createOptions(env, SCENARIOS[scenario].defaults), 'm', slots, recordings);

test('streams are those that are asked for, else a share of the declared slots', () => {
  expect(plan('steady').streams).toBe(100);
  expect(plan('soak').streams).toBe(70);
  expect(plan('steady', { STREAMS: '3' }, 0).streams).toBe(3);
  expect(plan('smoke', {}, 0).streams).toBe(4);
});

test('without declared slots it says what to set', () => {
  expect(() => plan('steady', {}, 0)).toThrow('set STREAMS, or OPERATOR_URL to read them');
  expect(() => plan('ramp-to-saturation', {}, 0)).toThrow('set DECLARED_SLOTS');
});

test('a spike adds to the streams what makes them three times as many', () => {
  expect(plan('spike', { STREAMS: '10' }).spike).toEqual({ streams: 20, seconds: 30 });
});

test('a ramp has users for its last step', () => {
  const { ramp, streams } = plan('ramp-to-saturation', { RAMP_START_PERCENT: '50', RAMP_STEP_PERCENT: '50' });
  expect(ramp?.steps).toEqual([50, 100, 150, 200]);
  expect(streams).toBe(200);
});

test('small contexts are asked for by the scenario that is about them', () => {
  expect(plan('mixed-latency').contexts).toHaveLength(5);
  expect(plan('steady').contexts).toEqual([]);
});

test('there are never more tenants than streams', () => {
  expect(plan('steady', { STREAMS: '2', TENANTS: '5' }).tenants).toBe(2);
});

test('a session that would exceed what the service takes is refused', () => {
  const long = { ...recordings, longestSeconds: 30 };
  const options = createOptions({ SESSION_SECONDS: '280', STREAMS: '1' }, {});
  expect(() => buildPlan('steady', options, 'm', 0, long)).toThrow('would exceed 300 s');
});

test('the bundled recordings are real speech with its text; another model than those bundled gets the Kikuyu ones', () => {
  const dholuo = findRecordings('', 'svc-asr-dholuo-v1');
  expect(dholuo.files.length).toBeGreaterThan(3);
  expect(dholuo.files.every(({ text }) => text.length > 20)).toBe(true);
  expect(dholuo.longestSeconds).toBeGreaterThan(5);
  expect(findRecordings('', 'svc-asr-other-v1').files[0]?.file).toContain('kikuyu');
  expect(() => findRecordings('/nowhere', 'm')).toThrow('set RECORDINGS');
});
