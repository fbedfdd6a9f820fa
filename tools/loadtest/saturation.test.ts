import { concludeRamp, describeSaturation, judgeStep, stepsOf } from './saturation.ts';
import type { Step } from './saturation.ts';
import { recordsOf, session, utterance } from './testing/records.ts';

const LIMITS = { delta: 300, final: 600, ready: 1000 };
const step = (streams: number, ...broken: string[]): Step => ({ streams, verdicts: [], refused: 0, broken });

test('steps go from the first share of the slots to the last', () => {
  expect(stepsOf(50, { start: 50, step: 20, max: 120 })).toEqual([25, 35, 45, 55]);
  expect(stepsOf(1, { start: 50, step: 10, max: 200 })).toEqual([1, 2]);
});

test('a step breaks on a promise, and on refused sessions', () => {
  const refusals = [
    {
      kind: 'refusal' as const,
      tenant: 't',
      role: 'regular' as const,
      atMs: 5000,
      status: 503,
      code: 'no_capacity',
      retryAfterSeconds: 5,
    },
  ];
  const slow = recordsOf([session('a')], [utterance('a', { deltas: [[4500, 400]], final: [4600, 50] })], refusals);
  expect(judgeStep(slow, 9, 4000, 6000, LIMITS).broken).toEqual(['delta p95 400 ms > 300 ms', '1 sessions refused']);
  expect(judgeStep(slow, 9, 4000, 4900, LIMITS)).toMatchObject({ broken: ['delta p95 400 ms > 300 ms'], refused: 0 });
});

test('a step in which nothing came is broken; one in which no session began is not', () => {
  expect(judgeStep(recordsOf([], []), 9, 0, 1, LIMITS).broken).toEqual(['no delta came', 'no final came']);
});

test('the saturation is the first step that broke, and below it the last that held', () => {
  const found = concludeRamp(50, [step(25), step(35), step(45, 'final p95 700 ms > 600 ms')]);
  expect(found).toMatchObject({ held: 35, broke: 45, reason: 'final p95 700 ms > 600 ms' });
  expect(describeSaturation(found)).toBe(
    'saturation: a target breaks at 45 streams (90 %; final p95 700 ms > 600 ms), 35 hold; the workers declared 50 slots',
  );
});

test('slots that are measured again afterwards tell whether the machine was the same all the time', () => {
  const found = concludeRamp(50, [step(25), step(35, 'late')]);
  expect(describeSaturation({ ...found, declaredAfter: 55 })).toMatch(/declared 50 slots before and 55 after it$/);
  expect(describeSaturation({ ...found, declaredAfter: 45 })).toMatch(/declared 50 slots before and 45 after it$/);
  expect(describeSaturation({ ...found, declaredAfter: 56 })).toMatch(
    /56 after it: the machine changed its speed, run again$/,
  );
  expect(describeSaturation({ ...found, declaredAfter: 44 })).toMatch(
    /44 after it: the machine changed its speed, run again$/,
  );
});

test('a ramp may end before anything breaks', () => {
  const found = concludeRamp(50, [step(25), step(35)]);
  expect(found).toMatchObject({ held: 35, broke: null });
  expect(describeSaturation(found)).toContain('not reached: 35 streams hold (70 %)');
});
