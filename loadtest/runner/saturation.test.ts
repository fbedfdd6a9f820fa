import { concludeRamp, describeSaturation, judgeStep, stepsOf } from './saturation.ts';
import type { Step } from './saturation.ts';
import { recordsOf, session, utterance } from './testing/records.ts';

const LIMITS = { delta: 300, final: 600, ready: 1000 };
const step = (streams: number, ...failures: string[]): Step => ({ streams, verdicts: [], refused: 0, failures });

test('stepsOf returns numbers of streams from the first to the last share of the slots', () => {
  expect(stepsOf(50, { start: 50, step: 20, max: 120 })).toEqual([25, 35, 45, 55]);
  expect(stepsOf(1, { start: 50, step: 10, max: 200 })).toEqual([1, 2]);
});

test('judgeStep fails a step that misses a target or has refused sessions', () => {
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
  expect(judgeStep(slow, 9, 4000, 6000, LIMITS).failures).toEqual(['delta p95 400 ms > 300 ms', '1 sessions refused']);
  expect(judgeStep(slow, 9, 4000, 4900, LIMITS)).toMatchObject({ failures: ['delta p95 400 ms > 300 ms'], refused: 0 });
});

test('judgeStep fails a step without deltas and finals, but not one without ready events', () => {
  expect(judgeStep(recordsOf([], []), 9, 0, 1, LIMITS).failures).toEqual(['no delta arrived', 'no final arrived']);
});

test('concludeRamp returns the first failed step and the last passed step before it', () => {
  const found = concludeRamp(50, [step(25), step(35), step(45, 'final p95 700 ms > 600 ms')]);
  expect(found).toMatchObject({ passedAt: 35, failedAt: 45, reason: 'final p95 700 ms > 600 ms' });
  expect(describeSaturation(found)).toBe(
    'saturation: a target is missed at 45 streams (90 %; final p95 700 ms > 600 ms) and met at 35; the workers declared 50 slots',
  );
});

test('describeSaturation warns if the slots measured after the ramp differ by more than 10 %', () => {
  const found = concludeRamp(50, [step(25), step(35, 'late')]);
  expect(describeSaturation({ ...found, declaredAfter: 55 })).toMatch(
    /declared 50 slots before and 55 after the ramp$/,
  );
  expect(describeSaturation({ ...found, declaredAfter: 45 })).toMatch(
    /declared 50 slots before and 45 after the ramp$/,
  );
  expect(describeSaturation({ ...found, declaredAfter: 56 })).toMatch(
    /56 after the ramp\. The speed of the machine changed\. Run again\.$/,
  );
  expect(describeSaturation({ ...found, declaredAfter: 44 })).toMatch(
    /44 after the ramp\. The speed of the machine changed\. Run again\.$/,
  );
});

test('describeSaturation reports that no target was missed up to the last step', () => {
  const found = concludeRamp(50, [step(25), step(35)]);
  expect(found).toMatchObject({ passedAt: 35, failedAt: null });
  expect(describeSaturation(found)).toContain('not reached: targets met at 35 streams (70 %)');
});
