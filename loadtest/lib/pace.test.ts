import { dueAt, frameBounds, phaseOf, recordingsFor, startTimeOf } from './pace.ts';

test('phaseOf spreads any number of streams evenly over the duration of a chunk', () => {
  for (const count of [2, 5, 17, 100]) {
    const phases = Array.from({ length: count }, (_, stream) => phaseOf(stream)).sort((a, b) => a - b);
    const gaps = phases.map((phase, at) => (phases[at + 1] ?? 1 + phases[0]!) - phase);
    expect(Math.max(...gaps)).toBeLessThan(3 / count);
  }
});

test('startTimeOf returns the next time with the given phase, which is less than one chunk from now', () => {
  for (const nowMs of [0, 1, 1119, 1120, 123_456_789]) {
    for (const phase of [0, 0.25, 0.99]) {
      const startMs = startTimeOf(nowMs, phase, 1120);
      expect(startMs).toBeGreaterThanOrEqual(nowMs);
      expect(startMs - nowMs).toBeLessThan(1120);
      expect((startMs - phase * 1120) % 1120).toBeCloseTo(0, 6);
    }
  }
});

test('dueAt returns the time at which the audio of a frame is complete', () => {
  expect([0, 1, 9].map((frame) => dueAt(1000, frame, 100))).toEqual([1100, 1200, 2000]);
});

test('frameBounds covers a recording without gaps and overlaps, and its last frame may be shorter', () => {
  expect([0, 1, 2].map((frame) => frameBounds(frame, 100, 4000))).toEqual([
    [0, 1600],
    [1600, 3200],
    [3200, 4000],
  ]);
});

test('recordingsFor chooses recordings in turn until they contain enough samples', () => {
  expect(recordingsFor([10, 20, 30], 1, 55)).toEqual([1, 2, 0]);
  expect(recordingsFor([10], 7, 25)).toEqual([0, 0, 0]);
  expect(recordingsFor([10, 20], 0, 0)).toEqual([0]);
});
