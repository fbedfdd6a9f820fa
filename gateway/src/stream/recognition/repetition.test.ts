import type { StreamAnswer } from './recognition-events.ts';
import { Repetition } from './repetition.ts';
import { Utterance } from './utterance.ts';

type Final = Extract<StreamAnswer, { type: 'final' }>;
const final = (samples: number): Final => ({ type: 'final', text: '', words: [], audio_end: samples });
const cut = (samples: number): Final => ({ ...final(samples), endpoint: true });
const consumed = (samples: number) => ({ type: 'consumed', samples }) as const;
const delta = (samples: number) => ({ type: 'delta', text: '', audio_end: samples }) as const;
const RESET = { type: 'reset_done' } as const;

function repeat(...answers: (ReturnType<typeof final> | typeof RESET)[]): Repetition {
  const repetition = new Repetition();
  for (const answer of answers) repetition.add(answer);
  return repetition;
}

const head = new Utterance(3, 0);

test('Repetition reports an answer as repeated if the client has already received it, and reports all later answers as new', () => {
  const repetition = repeat(final(30), RESET);
  const kinds = [consumed(10), delta(30), final(30), delta(99), RESET, consumed(10)].map((answer) =>
    repetition.check(answer, head),
  );
  expect(kinds).toEqual(['repeated', 'repeated', 'repeated', 'repeated', 'repeated', 'new']);
  expect([repetition.isOver, repetition.length]).toEqual([true, 0]);
});

test.each([
  ['a final of other audio', final(30), final(31)],
  ['a reset instead of a final', final(30), RESET],
  ['a final instead of a reset', RESET, final(30)],
  ['text after the end of the utterance', final(30), delta(31)],
  ['consumed audio after the end of the utterance', final(30), consumed(31)],
])('Repetition reports %s as different from the answers that the client has received', (_, received, answer) => {
  expect(repeat(received).check(answer, head)).toBe('different');
});

test('Repetition.check returns "different" for a cut outside of the audio of the oldest utterance', () => {
  expect(new Repetition().check({ ...final(1), endpoint: true }, head)).toBe('different');
});

test('Repetition accepts a reset without the cuts before it, because a worker drops audio that it has not read', () => {
  const repetition = repeat(cut(30), cut(20), RESET, final(5));
  expect([RESET, final(5)].map((answer) => repetition.check(answer, head))).toEqual(['repeated', 'repeated']);
});

test('Repetition accepts cuts before a reset even if the previous worker did not find these cuts', () => {
  const repetition = repeat(RESET, final(5));
  const kinds = [cut(30), RESET, final(5)].map((answer) => repetition.check(answer, head));
  expect(kinds).toEqual(['repeated', 'repeated', 'repeated']);
});

test('for reset_done from a worker that must still repeat cuts, Repetition.check returns "new" if the client has reset the oldest utterance, and otherwise "different"', () => {
  expect(repeat(cut(30)).check(RESET, head)).toBe('different');
  const reset = new Utterance(4, 0);
  reset.reset();
  expect(repeat(cut(30)).check(RESET, reset)).toBe('new');
});

test('Repetition.check returns "different" for reset_done from a worker that must still repeat cuts and the final of a flush', () => {
  expect(repeat(cut(30), final(5)).check(RESET, head)).toBe('different');
});
