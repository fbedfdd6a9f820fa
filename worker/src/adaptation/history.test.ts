import { binOf, SLOWDOWN_BINS } from '../engine/slowdown.ts';
import { RunHistory } from './history.ts';

const SECOND = 1000;

/**
 * Returns a function that adds one sample per second. In each second, the runs would have taken `workMs` at warm-up,
 * and take `slowdown` times as long. The function returns the result of the last sample.
 */
function createRuns(runsOverlap = false) {
  const history = new RunHistory(runsOverlap);
  const slowdowns = Array<number>(SLOWDOWN_BINS).fill(0);
  let [nowMs, busyMs] = [0, 0];
  history.add(nowMs, { busyMs, slowdowns: [...slowdowns] });
  return (seconds: number, workMs: number, slowdown: number) => {
    let last: ReturnType<RunHistory['add']> | undefined;
    for (let i = 0; i < seconds; i++) {
      nowMs += SECOND;
      busyMs += workMs * slowdown;
      slowdowns[binOf(slowdown)]! += workMs;
      last = history.add(nowMs, { busyMs, slowdowns: [...slowdowns] });
    }
    return last;
  };
}

describe('RunHistory', () => {
  test('returns the slowdown of the slowest tenth of the runs of the last minute, and ignores older runs', () => {
    const run = createRuns();
    expect(run(60, 500, 1)?.slowdown).toBeCloseTo(1, 1);
    expect(run(5, 500, 1.8)?.slowdown).toBeCloseTo(1, 1);
    expect((run(3, 500, 1.8)?.slowdown ?? 0) / 1.8).toBeCloseTo(1, 1);
    expect((run(50, 500, 1)?.slowdown ?? 0) / 1.8).toBeCloseTo(1, 1);
    expect(run(10, 500, 1)?.slowdown).toBeCloseTo(1, 1);
  });

  test('for the last seconds, returns the mean slowdown and the share of time in which the inference thread was busy', () => {
    const run = createRuns();
    run(60, 400, 1);
    expect(run(1, 400, 2)?.recentSlowdown).toBeCloseTo(1.5);
    const last = run(1, 400, 2);
    expect(last?.recentSlowdown).toBeCloseTo(2);
    expect(last?.busy).toBeCloseTo(0.8);
  });

  test('returns no slowdown if the runs of the last minute would take less than 6 s at the speed of the warm-up', () => {
    expect(createRuns()(60, 50, 3)?.slowdown).toBeUndefined();
    expect(createRuns()(60, 150, 3)?.slowdown).toBeGreaterThan(2.8);
  });

  test('if runs overlap, returns the slowdown of the last seconds, but none for the last minute', () => {
    const last = createRuns(true)(60, 500, 1.5);
    expect(last?.slowdown).toBeUndefined();
    expect(last?.recentSlowdown).toBeCloseTo(1.5);
  });
});
