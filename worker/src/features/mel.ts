/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are in range by construction; a check for each access would slow down the inner loops */
/**
 * Slaney mel filters as sparse rows. Each filter covers a short range of bins. Applying all filters takes about two
 * multiplications per bin. With dense rows, each bin would take one multiplication per filter.
 */

/**
 * The filters one after the other. The weights of filter m are `weights` from index `offsets[m]` up to, but not
 * including, index `offsets[m+1]`. Its first bin is `starts[m]`.
 */
export interface MelFilters {
  readonly count: number;
  readonly starts: Uint16Array;
  readonly offsets: Uint32Array;
  readonly weights: Float64Array;
}

const LINEAR_HZ_PER_MEL = 200 / 3;
const BREAK_HZ = 1000;
const BREAK_MEL = BREAK_HZ / LINEAR_HZ_PER_MEL;
const LOG_STEP = Math.log(6.4) / 27;

const melOf = (hz: number): number =>
  hz < BREAK_HZ ? hz / LINEAR_HZ_PER_MEL : BREAK_MEL + Math.log(hz / BREAK_HZ) / LOG_STEP;

const hzOf = (mel: number): number =>
  mel < BREAK_MEL ? mel * LINEAR_HZ_PER_MEL : BREAK_HZ * Math.exp(LOG_STEP * (mel - BREAK_MEL));

/**
 * Builds triangular filters of equal area. They are evenly spaced on the mel scale between 0 Hz and half the sample
 * rate.
 */
export function buildMelFilters(count: number, bins: number, sampleRateHz: number): MelFilters {
  const topHz = sampleRateHz / 2;
  const edges = Array.from({ length: count + 2 }, (_, i) => hzOf((melOf(topHz) * i) / (count + 1)));
  const starts = new Uint16Array(count);
  const offsets = new Uint32Array(count + 1);
  const weights: number[] = [];
  for (let m = 0; m < count; m++) {
    const [low, middle, high] = [edges[m]!, edges[m + 1]!, edges[m + 2]!];
    let started = false;
    for (let bin = 0; bin < bins; bin++) {
      const hz = (topHz * bin) / (bins - 1);
      const height = Math.min((hz - low) / (middle - low), (high - hz) / (high - middle));
      if (height <= 0) continue;
      if (!started) starts[m] = bin;
      started = true;
      // The weights are rounded to 32 bits, because NeMo stores its filters as 32-bit floats.
      weights.push(Math.fround(height * (2 / (high - low))));
    }
    offsets[m + 1] = weights.length;
  }
  return { count, starts, offsets, weights: Float64Array.from(weights) };
}
