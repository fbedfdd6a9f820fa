import { AnswerClock } from './answer-clock.ts';

const SECOND = 16_000;
/** Returns an utterance of 100 s. `consumed` is the number of samples that the worker has consumed. */
const utterance = (consumed = 0, startSample = 0) => ({ startSample, samples: 100 * SECOND, consumed });
const consumed = (samples: number) => ({ type: 'consumed', samples }) as const;

test('AnswerClock.overdueMs counts from the time at which the worker started to owe an answer', () => {
  const clock = new AnswerClock(0);
  expect(clock.overdueMs(5000)).toBe(0);
  clock.setOwing(true, 5000);
  clock.setOwing(true, 6000);
  expect(clock.overdueMs(7000)).toBe(2000);
  expect(clock.overdueMs(7000, 6500)).toBe(500);
  clock.setOwing(false, 8000);
  expect(clock.overdueMs(9000)).toBe(0);
});

test('AnswerClock reports nothing overdue while answers arrive at real-time pace, however late the first answer was', () => {
  const clock = new AnswerClock(0);
  clock.setOwing(true, 0);
  for (let second = 1; second <= 60; second++) {
    clock.recordAnswer(utterance((second - 1) * SECOND), consumed(second * SECOND), 10_000 + second * 1000);
    expect(clock.overdueMs(10_000 + second * 1000 + 900)).toBeLessThanOrEqual(0);
  }
  expect(clock.overdueMs(10_000 + 60_000 + 4000)).toBe(3000);
});

test('if answers were ahead of real time, AnswerClock reports nothing overdue until real time has caught up with the answered audio', () => {
  const clock = new AnswerClock(0);
  clock.setOwing(true, 0);
  clock.recordAnswer(utterance(), consumed(20 * SECOND), 1000);
  expect(clock.overdueMs(21_000)).toBe(0);
  expect(clock.overdueMs(25_000)).toBe(4000);
  clock.recordAnswer(utterance(20 * SECOND), consumed(320 * SECOND), 25_000);
  expect(clock.overdueMs(325_000)).toBe(0);
  expect(clock.overdueMs(326_000)).toBe(1000);
});

test('after an answer to replayed audio, AnswerClock measures the overdue time from that answer, and does not wait for the duration of the replayed audio', () => {
  const clock = new AnswerClock(0);
  clock.setOwing(true, 0);
  clock.recordAnswer(utterance(), consumed(2 * SECOND), 2000);
  clock.recordAnswer(utterance(), consumed(1 * SECOND), 8000);
  expect(clock.overdueMs(9000)).toBe(1000);
});

test('AnswerClock ignores an answer that reports no newly consumed audio', () => {
  const clock = new AnswerClock(0);
  clock.setOwing(true, 0);
  clock.recordAnswer(utterance(), consumed(SECOND), 0);
  clock.recordAnswer(utterance(SECOND), consumed(SECOND), 5000);
  expect(clock.overdueMs(6000)).toBe(5000);
});

test('AnswerClock counts the audio of a final as answered, but not the audio of a reset', () => {
  const clock = new AnswerClock(0);
  clock.setOwing(true, 0);
  clock.recordAnswer({ ...utterance(), samples: 3 * SECOND }, { type: 'final', text: '', audio_end: 0, words: [] }, 0);
  expect(clock.overdueMs(4000)).toBe(1000);
  clock.recordAnswer({ ...utterance(0, 3 * SECOND), samples: 9 * SECOND }, { type: 'reset_done' }, 4000);
  expect(clock.overdueMs(5000)).toBe(1000);
  clock.recordAnswer(utterance(0, 12 * SECOND), consumed(SECOND), 5000);
  expect(clock.overdueMs(7000)).toBe(1000);
});

test('AnswerClock measures the time that a worker takes to open a stream', () => {
  const clock = new AnswerClock(0);
  clock.setOwing(true, 0);
  clock.recordAnswer(utterance(), consumed(20 * SECOND), 0);
  clock.startOpening(1000);
  expect(clock.overdueMs(3000)).toBe(2000);
});

test('AnswerClock counts only the audio before a cut as answered', () => {
  const clock = new AnswerClock(0);
  clock.setOwing(true, 0);
  const cut = { type: 'final' as const, text: '', audio_end: 2 * SECOND, words: [], endpoint: true };
  clock.recordAnswer(utterance(), cut, 0);
  expect(clock.overdueMs(3000)).toBe(1000);
});
