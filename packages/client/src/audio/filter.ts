/** A low-pass filter for a change of sample rate, split into phases. */
export interface PolyphaseFilter {
  /** Rates as a fraction in lowest terms: the output has `up` samples for every `down` samples of the input. */
  up: number;
  down: number;
  /** Number of input samples that a phase uses on each side. */
  reach: number;
  phases: number;
  /**
   * `phases` + 1 rows of 2 x `reach` taps. Row p is for outputs that lie between two input samples, at the fraction
   * p / phases of their distance.
   */
  taps: Float64Array;
}

/** Zero crossings of the sinc on each side. With the window below, the transition is about 1.3 kHz wide at 16 kHz. */
const ZERO_CROSSINGS = 32;
/** Shape of the Kaiser window. The attenuation of the stop band is about 80 dB. */
const KAISER_BETA = 8;
/**
 * Middle of the transition, relative to the Nyquist frequency of the lower rate. A lower cutoff changes more words of
 * the transcript, because the recognizer uses the highest frequencies too. Aliases near this frequency have little
 * energy in speech.
 */
const CUTOFF = 0.99;
/** Above this number of phases, rows are interpolated. This keeps the table small, with an error near -100 dB. */
const MAX_PHASES = 512;

/** Builds the filter from one rate to another. */
export function buildFilter(fromHz: number, toHz: number): PolyphaseFilter {
  const divisor = gcd(fromHz, toHz);
  const [up, down] = [toHz / divisor, fromHz / divisor];
  const scale = Math.min(1, toHz / fromHz);
  const reach = Math.ceil(ZERO_CROSSINGS / scale);
  const phases = Math.min(up, MAX_PHASES);
  const taps = new Float64Array((phases + 1) * reach * 2);
  for (let phase = 0; phase <= phases; phase++) {
    const row = taps.subarray(phase * reach * 2, (phase + 1) * reach * 2);
    fillRow(row, phase / phases, scale * CUTOFF, reach);
  }
  return { up, down, reach, phases, taps };
}

/**
 * Fills one row. Tap `reach` - 1 weights the last input sample at or before the output sample. Each lower tap weights
 * the input sample that is one position earlier.
 */
function fillRow(row: Float64Array, offset: number, cutoff: number, reach: number): void {
  let sum = 0;
  for (let i = 0; i < row.length; i++) {
    const distance = i - (reach - 1) - offset;
    const value = sinc(distance * cutoff) * kaiser(distance / reach);
    row[i] = value;
    sum += value;
  }
  // With a sum of one, each phase leaves a constant signal unchanged. Otherwise the phases would differ, which is
  // audible as a tone.
  for (let i = 0; i < row.length; i++) row[i] = (row[i] ?? 0) / sum;
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  // Each row is scaled to a sum of one, so the window needs no scale factor.
  return Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x));
}

/** Computes the modified Bessel function of the first kind and order zero, as a power series. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  const quarter = (x * x) / 4;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= quarter / (k * k);
    sum += term;
  }
  return sum;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
