import { buildFilter } from './filter.ts';

/** Changes the sample rate of audio that arrives in pieces. The result does not depend on the piece boundaries. */
export interface Resampler {
  push: (samples: Float32Array) => Float32Array;
  /** Call after the last samples. Returns the remaining output. */
  end: () => Float32Array;
}

/** Creates a resampler with a windowed-sinc low-pass filter that adds no delay. */
export function createResampler(fromHz: number, toHz: number): Resampler {
  if (fromHz === toHz) return { push: (samples) => samples, end: () => new Float32Array(0) };
  const { up, down, reach, phases, taps } = buildFilter(fromHz, toHz);
  const width = reach * 2;
  /** Input samples from position `start` on. Silence precedes the first sample. */
  let held = new Float32Array(reach - 1);
  let start = 1 - reach;
  let received = 0;
  let produced = 0;

  /** Returns the outputs before `limit` whose input is complete. */
  function produceUntil(limit: number): Float32Array {
    const end = start + held.length;
    // Output n lies at input n * down / up and needs `reach` samples after that position.
    const last = Math.min(limit, Math.floor(((end - reach) * up - 1) / down) + 1);
    const output = new Float32Array(Math.max(0, last - produced));
    for (let n = 0; n < output.length; n++) output[n] = sampleAt(produced + n);
    produced += output.length;
    const unused = Math.max(0, Math.floor((produced * down) / up) - (reach - 1) - start);
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
      return produceUntil(Infinity);
    },
    end: () => {
      append(new Float32Array(reach + 1));
      return produceUntil(resampledLength(received, fromHz, toHz));
    },
  };
}

/** Returns the number of samples that the resampler returns for this number of input samples. */
export function resampledLength(samples: number, fromHz: number, toHz: number): number {
  return Math.ceil((samples * toHz) / fromHz);
}
