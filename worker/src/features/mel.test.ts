import { buildMelFilters } from './mel.ts';

test('buildMelFilters returns filters in ascending order that cover all inner bins, and wide filters have the area one', () => {
  const { count, starts, offsets, weights } = buildMelFilters(80, 257, 16_000);
  const covered = new Set<number>();
  for (let m = 0; m < count; m++) {
    const own = weights.subarray(offsets[m], offsets[m + 1]);
    expect(own.length).toBeGreaterThan(0);
    expect(Math.min(...own)).toBeGreaterThan(0);
    if (m > 0) expect(starts[m]).toBeGreaterThanOrEqual(starts[m - 1]!);
    own.forEach((_, i) => covered.add(starts[m]! + i));
    // A wide filter covers many bins of 31.25 Hz. So the sum of its weights, times 31.25, is close to the area of its
    // triangle, which is 1.
    if (m > 60) expect(own.reduce((sum, weight) => sum + weight, 0) * 31.25).toBeCloseTo(1, 1);
  }
  for (let bin = 1; bin < 256; bin++) expect(covered.has(bin)).toBe(true);
});
