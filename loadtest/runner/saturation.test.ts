import { METRICS } from '../lib/thresholds.ts';
import type { K6Metrics } from './k6-metrics.ts';
import { concludeRamp, describeSaturation, stepsOf } from './saturation.ts';
import { counter, trend } from './testing/metrics.ts';

const LIMITS = { delta: 300, final: 600, ready: 1000 };

/**
 * Creates the metrics of several steps. `steps` maps the number of streams to the 95th percentile of the delta latency.
 */
function metricsOf(steps: Readonly<Record<number, number>>): K6Metrics {
  const entries = Object.entries(steps).flatMap(([streams, delta]) => [
    [METRICS.latencyAt('delta', Number(streams)), trend(delta)],
    [METRICS.latencyAt('final', Number(streams)), trend(50)],
    [METRICS.refusedAt(Number(streams)), counter(0)],
  ]);
  return Object.fromEntries(entries) as K6Metrics;
}

test('stepsOf returns a number of streams for each percentage of the slots between start and max', () => {
  expect(stepsOf(50, { start: 50, step: 20, max: 120 })).toEqual([25, 35, 45, 55]);
  expect(stepsOf(1, { start: 50, step: 10, max: 200 })).toEqual([1, 2]);
});

test('concludeRamp returns the first failed step and the last passed step before it', () => {
  const metrics = metricsOf({ 25: 100, 35: 200, 45: 400 });
  const found = concludeRamp({ steps: [25, 35, 45, 55] }, LIMITS, metrics);
  expect(found).toMatchObject({ passedAt: 35, failedAt: 45, reason: 'delta p95 400 ms > 300 ms' });
  expect(found.steps.map(({ streams }) => streams)).toEqual([25, 35, 45]);
  expect(describeSaturation(found, 50, null)).toBe(
    'saturation: a target is missed at 45 streams (90 %; delta p95 400 ms > 300 ms) and met at 35; the workers declared 50 slots',
  );
});

test('concludeRamp fails a step with refused sessions', () => {
  const metrics = { ...metricsOf({ 25: 100 }), [METRICS.refusedAt(25)]: counter(3) };
  expect(concludeRamp({ steps: [25, 35] }, LIMITS, metrics)).toMatchObject({
    passedAt: 0,
    failedAt: 25,
    reason: '3 sessions refused',
  });
});

test('describeSaturation reports that saturation was not reached if no target was missed up to the last step', () => {
  const found = concludeRamp({ steps: [25, 35] }, LIMITS, metricsOf({ 25: 100, 35: 200 }));
  expect(found).toMatchObject({ passedAt: 35, failedAt: null });
  expect(describeSaturation(found, 50, null)).toContain('not reached: targets met at 35 streams (70 %)');
});

test.each([
  [55, /declared 50 slots before and 55 after the ramp$/],
  [45, /declared 50 slots before and 45 after the ramp$/],
  [56, /56 after the ramp\. The speed of the machine changed\. Run again\.$/],
  [44, /44 after the ramp\. The speed of the machine changed\. Run again\.$/],
])(
  'describeSaturation compares 50 slots declared before the ramp with %d declared after it, and tolerates 10 %% change',
  (after, text) => {
    const found = concludeRamp({ steps: [25, 35] }, LIMITS, metricsOf({ 25: 100, 35: 400 }));
    expect(describeSaturation(found, 50, after)).toMatch(text);
  },
);
