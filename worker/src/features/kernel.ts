/* eslint-disable @typescript-eslint/no-non-null-assertion -- indices are in range by construction */
import { KERNEL_CODE } from './kernel-code.ts';
import type { MelFilters } from './mel.ts';

/** Number of samples of a Fourier transform. */
const FFT_SIZE = 512;
/** Number of bins of the one-sided spectrum of the transform. */
export const SPECTRUM_BINS = FFT_SIZE / 2 + 1;
/** Number of frames that the kernel computes together. */
export const KERNEL_FRAMES = 4;
/** Number of samples that the window of a frame covers. */
export const WINDOW_SAMPLES = 400;
/** Number of samples from the start of one feature frame to the start of the next. */
export const HOP_SAMPLES = 160;

const POINTS = FFT_SIZE / 2;
const VECTOR_BYTES = 16;
const COMPLEX_BYTES = 2 * VECTOR_BYTES;
const MAX_FILTERS = 128;

// Addresses in the memory of the kernel. They must be the same as in kernel.wat.
const POWER = 16_384;
const OUTPUT = 20_608;
const ORDER = 22_656;
const TWIDDLES = 23_680;
const TURNS = 25_696;
const FILTERS = 26_752;
const WEIGHTS = 27_776;
const HANN = 36_864;
const SAMPLES = 38_464;

/** Types of the WebAssembly API that the kernel needs. TypeScript declares this API only for browsers. */
interface WebAssemblyTypes {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: KernelExports };
}

interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly run: (mels: number) => void;
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyTypes }).WebAssembly;

let compiled: object | undefined;

/**
 * Computes log-mel features of four consecutive frames with 128-bit vector instructions (kernel.wat). WebAssembly
 * rounds in the same way on all processors, so features do not depend on the processor.
 */
export class FrameKernel {
  /** Input: pre-emphasized samples, from the first sample of the first frame to the last sample of the fourth frame. */
  readonly samples: Float32Array;
  /** Output of `run`. The value of filter m for frame f is at index `m * KERNEL_FRAMES + f`. */
  readonly output: Float32Array;
  readonly #memory: ArrayBuffer;
  readonly #run: (mels: number) => void;
  readonly #mels: number;

  /** Creates a kernel that multiplies samples by `scale`. */
  constructor(filters: MelFilters, scale: number) {
    compiled ??= new Module(Buffer.from(KERNEL_CODE, 'base64'));
    const { memory, run } = new Instance(compiled).exports;
    this.#memory = memory.buffer;
    this.#run = run;
    this.#mels = filters.count;
    this.samples = this.#floats(SAMPLES, WINDOW_SAMPLES + (KERNEL_FRAMES - 1) * HOP_SAMPLES);
    this.output = this.#floats(OUTPUT, filters.count * KERNEL_FRAMES);
    this.#fillWindow(scale);
    this.#fillTransform();
    this.#fillFilters(filters);
  }

  /** Computes `output` from `samples`. */
  run(): void {
    this.#run(this.#mels);
  }

  #floats(address: number, length: number): Float32Array {
    return new Float32Array(this.#memory, address, length);
  }

  #ints(address: number, length: number): Int32Array {
    return new Int32Array(this.#memory, address, length);
  }

  /** Writes the symmetric Hann window, multiplied by the scale. */
  #fillWindow(scale: number): void {
    const hann = this.#floats(HANN, WINDOW_SAMPLES);
    for (let i = 0; i < WINDOW_SAMPLES; i++) {
      hann[i] = Math.fround(0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (WINDOW_SAMPLES - 1))) * scale;
    }
  }

  /**
   * Writes the tables of the Fourier transform. The kernel computes a complex transform of 256 points (radix 4). The
   * even samples are the real parts of its input, and the odd samples are the imaginary parts.
   */
  #fillTransform(): void {
    const order = this.#ints(ORDER, POINTS);
    for (let i = 0; i < POINTS; i++) {
      // The index with its base-4 digits in reverse order.
      const reversed = ((i & 3) << 6) | (((i >> 2) & 3) << 4) | (((i >> 4) & 3) << 2) | ((i >> 6) & 3);
      order[i] = reversed * COMPLEX_BYTES;
    }
    // The twiddle factors of the passes with spans 4, 16 and 64, in the order in which the kernel reads them: w, w²,
    // w³.
    const twiddles: number[] = [];
    for (const span of [4, 16, 64]) {
      for (let j = 0; j < span; j++) {
        for (let power = 1; power <= 3; power++) {
          const angle = (-2 * Math.PI * j * power) / (span * 4);
          twiddles.push(Math.cos(angle), Math.sin(angle));
        }
      }
    }
    this.#floats(TWIDDLES, twiddles.length).set(twiddles);
    const turns = this.#floats(TURNS, POINTS + 2);
    for (let k = 0; k <= POINTS / 2; k++) {
      turns[k * 2] = Math.cos((2 * Math.PI * k) / FFT_SIZE);
      turns[k * 2 + 1] = Math.sin((2 * Math.PI * k) / FFT_SIZE);
    }
  }

  #fillFilters({ count, starts, offsets, weights }: MelFilters): void {
    const most = (HANN - WEIGHTS) / Float32Array.BYTES_PER_ELEMENT;
    if (count > MAX_FILTERS || weights.length > most) throw new RangeError(`${count} mel filters do not fit`);
    const table = this.#ints(FILTERS, count * 2);
    for (let m = 0; m < count; m++) {
      table[m * 2] = POWER + starts[m]! * VECTOR_BYTES;
      table[m * 2 + 1] = offsets[m + 1]! - offsets[m]!;
    }
    // The weights are divided by 4, because the values that the kernel computes are four times the power spectrum.
    this.#floats(WEIGHTS, weights.length).set(weights.map((weight) => weight / 4));
  }
}
