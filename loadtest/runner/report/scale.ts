/** Range and ticks of an axis. */
export interface Scale {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

const MAX_TICKS = 6;

/** Returns a scale from `from` to a round number that is not below the largest value. */
export function scaleOf(largest: number, from = 0): Scale {
  const span = Math.max(largest - from, 1e-9);
  const rough = span / (MAX_TICKS - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough;
  const count = Math.ceil(span / step);
  const ticks = Array.from({ length: count + 1 }, (_, at) => from + at * step);
  return { from, to: from + count * step, ticks };
}

/** Maps a value on the scale to a position between `start` and `end`. */
export function position({ from, to }: Scale, value: number, start: number, end: number): number {
  return start + ((value - from) / (to - from)) * (end - start);
}
