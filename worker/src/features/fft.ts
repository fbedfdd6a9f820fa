/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are in range by construction; a check per access would cost in the inner loops */
/**
 * Power spectrum of 512 real samples, computed as a complex FFT of 256 points over even and odd samples (radix 4, four
 * passes). Tables and work space are allocated once, and `power` allocates nothing. Values are doubles so that V8
 * converts nothing in the inner loops.
 */

const SIZE = 512;
const HALF = SIZE / 2;

/** Bins of the one-sided spectrum. */
export const SPECTRUM_BINS = HALF + 1;
/** Real samples per transform. */
export const FFT_SIZE = SIZE;

const cosine = Float64Array.from({ length: SIZE }, (_, i) => Math.cos((2 * Math.PI * i) / SIZE));
const sine = Float64Array.from({ length: SIZE }, (_, i) => Math.sin((2 * Math.PI * i) / SIZE));

/** Source index of each place of the decimated input: the base-4 digits of the index in reverse order. */
const reversed = Uint16Array.from({ length: HALF }, (_, i) => {
  const [a, b, c, d] = [i & 3, (i >> 2) & 3, (i >> 4) & 3, (i >> 6) & 3];
  return (a << 6) | (b << 4) | (c << 2) | d;
});

/**
 * Twiddle factors of the passes with spans 4, 16 and 64, in the order in which they are read: w, w², w³ as (re, im).
 */
const twiddles = [4, 16, 64].map((span) => {
  const table = new Float64Array(span * 6);
  for (let j = 0; j < span; j++) {
    for (let power = 1; power <= 3; power++) {
      const angle = (-2 * Math.PI * j * power) / (span * 4);
      table[j * 6 + (power - 1) * 2] = Math.cos(angle);
      table[j * 6 + (power - 1) * 2 + 1] = Math.sin(angle);
    }
  }
  return table;
});

/** A transform with its own work space. One instance per thread is enough. */
export class PowerSpectrum {
  /** Input: 512 windowed samples. Fill it before each call of `power`. */
  readonly input = new Float64Array(SIZE);
  /** Output of `power`: |X|² of bins 0 to 256. */
  readonly output = new Float64Array(SPECTRUM_BINS);
  readonly #re = new Float64Array(HALF);
  readonly #im = new Float64Array(HALF);

  /** Computes `output` from `input`. */
  power(): void {
    this.#firstPass();
    let span = 4;
    for (const table of twiddles) {
      pass(this.#re, this.#im, span, table);
      span *= 4;
    }
    this.#unpack();
  }

  /** Runs the first pass (span 1). It needs no twiddle factors and reads its input in digit-reversed order. */
  #firstPass(): void {
    const { input } = this;
    const re = this.#re;
    const im = this.#im;
    for (let i = 0; i < HALF; i += 4) {
      const a = reversed[i]! * 2;
      const b = reversed[i + 1]! * 2;
      const c = reversed[i + 2]! * 2;
      const d = reversed[i + 3]! * 2;
      const sumRe = input[a]! + input[c]!;
      const sumIm = input[a + 1]! + input[c + 1]!;
      const difRe = input[a]! - input[c]!;
      const difIm = input[a + 1]! - input[c + 1]!;
      const sum2Re = input[b]! + input[d]!;
      const sum2Im = input[b + 1]! + input[d + 1]!;
      const dif2Re = input[b]! - input[d]!;
      const dif2Im = input[b + 1]! - input[d + 1]!;
      re[i] = sumRe + sum2Re;
      im[i] = sumIm + sum2Im;
      re[i + 1] = difRe + dif2Im;
      im[i + 1] = difIm - dif2Re;
      re[i + 2] = sumRe - sum2Re;
      im[i + 2] = sumIm - sum2Im;
      re[i + 3] = difRe - dif2Im;
      im[i + 3] = difIm + dif2Re;
    }
  }

  /** Separates the spectra of even and odd samples and combines them, two bins (k and 256 - k) per step. */
  #unpack(): void {
    const re = this.#re;
    const im = this.#im;
    const out = this.output;
    const sum = re[0]! + im[0]!;
    const dif = re[0]! - im[0]!;
    out[0] = sum * sum;
    out[HALF] = dif * dif;
    for (let k = 1, m = HALF - 1; k <= m; k++, m--) {
      const evenRe = 0.5 * (re[k]! + re[m]!);
      const evenIm = 0.5 * (im[k]! - im[m]!);
      const oddRe = 0.5 * (im[k]! + im[m]!);
      const oddIm = -0.5 * (re[k]! - re[m]!);
      const c = cosine[k]!;
      const s = sine[k]!;
      const turnedRe = oddRe * c + oddIm * s;
      const turnedIm = oddIm * c - oddRe * s;
      const lowRe = evenRe + turnedRe;
      const lowIm = evenIm + turnedIm;
      const highRe = evenRe - turnedRe;
      const highIm = evenIm - turnedIm;
      out[k] = lowRe * lowRe + lowIm * lowIm;
      out[m] = highRe * highRe + highIm * highIm;
    }
  }
}

/** Runs one radix-4 pass in place. It combines four neighbouring transforms of `span` points each. */
function pass(re: Float64Array, im: Float64Array, span: number, table: Float64Array): void {
  for (let j = 0, t = 0; j < span; j++, t += 6) {
    const w1Re = table[t]!;
    const w1Im = table[t + 1]!;
    const w2Re = table[t + 2]!;
    const w2Im = table[t + 3]!;
    const w3Re = table[t + 4]!;
    const w3Im = table[t + 5]!;
    for (let a = j; a < HALF; a += span * 4) {
      const b = a + span;
      const c = b + span;
      const d = c + span;
      const bRe = re[b]! * w1Re - im[b]! * w1Im;
      const bIm = re[b]! * w1Im + im[b]! * w1Re;
      const cRe = re[c]! * w2Re - im[c]! * w2Im;
      const cIm = re[c]! * w2Im + im[c]! * w2Re;
      const dRe = re[d]! * w3Re - im[d]! * w3Im;
      const dIm = re[d]! * w3Im + im[d]! * w3Re;
      const sumRe = re[a]! + cRe;
      const sumIm = im[a]! + cIm;
      const difRe = re[a]! - cRe;
      const difIm = im[a]! - cIm;
      const sum2Re = bRe + dRe;
      const sum2Im = bIm + dIm;
      const dif2Re = bRe - dRe;
      const dif2Im = bIm - dIm;
      re[a] = sumRe + sum2Re;
      im[a] = sumIm + sum2Im;
      re[b] = difRe + dif2Im;
      im[b] = difIm - dif2Re;
      re[c] = sumRe - sum2Re;
      im[c] = sumIm - sum2Im;
      re[d] = difRe - dif2Im;
      im[d] = difIm + dif2Re;
    }
  }
}
