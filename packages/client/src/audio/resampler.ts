import { buildFilter } from './filter.ts';

/** Changes the rate of samples that come in pieces; the result does not depend on where they were cut. */
export interface Resampler {
  push: (samples: Float32Array) => Float32Array;
  /** No more samples come: gives what was held back. As many come out in all as the duration holds. */
  end: () => Float32Array;
}

/** A resampler with a windowed-sinc low-pass filter; the result lies in time where the input did. */
export function createResampler(fromHz: number, toHz: number): Resampler {
  if (fromHz === toHz) return { push: (samples) => samples, end: () => new Float32Array(0) };
  const { up, down, reach, phases, taps } = buildFilter(fromHz, toHz);
  const width = reach * 2;
  /** Input from `start` on; before the first sample lies silence. */
  let held = new Float32Array(reach - 1);
  let start = 1 - reach;
  let received = 0;
  let made = 0;

  /** The next output, or undefined when input that it needs is not there yet. */
  function makeUntil(limit: number): Float32Array {
    const end = start + held.length;
    // Output n lies at input n * down / up and needs `reach` samples after it.
    const last = Math.min(limit, Math.floor(((end - reach) * up - 1) / down) + 1);
    const output = new Float32Array(Math.max(0, last - made));
    for (let n = 0; n < output.length; n++) output[n] = sampleAt(made + n);
    made += output.length;
    const unused = Math.max(0, Math.floor((made * down) / up) - (reach - 1) - start);
    held = held.slice(unused);
    start += unused;
    return output;
  }

  function sampleAt(n: number): number {
    const whole = Math.floor((n * down) / up);
    const phase = ((n * down - whole * up) * phases) / up;
    const row = Math.floor(phase);
    const between = phase - row;
    const from = whole - (reach - 1) - start;
    const first = row * width;
    let sum = 0;
    if (between === 0) {
      for (let i = 0; i < width; i++) sum += (held[from + i] ?? 0) * (taps[first + i] ?? 0);
      return sum;
    }
    for (let i = 0; i < width; i++) {
      const low = taps[first + i] ?? 0;
      sum += (held[from + i] ?? 0) * (low + ((taps[first + width + i] ?? 0) - low) * between);
    }
    return sum;
  }

  function append(samples: Float32Array): void {
    const all = new Float32Array(held.length + samples.length);
    all.set(held);
    all.set(samples, held.length);
    held = all;
  }

  return {
    push: (samples) => {
      append(samples);
      received += samples.length;
      return makeUntil(Infinity);
    },
    end: () => {
      append(new Float32Array(reach + 1));
      return makeUntil(resampledLength(received, fromHz, toHz));
    },
  };
}

/** How many samples come out of the resampler for so many that go in. */
export function resampledLength(samples: number, fromHz: number, toHz: number): number {
  return Math.ceil((samples * toHz) / fromHz);
}
