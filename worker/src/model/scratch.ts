import type { EncoderShape } from './shape.ts';

/**
 * Input and output buffers of a batch. They are allocated once. All contexts of a model share them, because only one
 * run is active at a time.
 */
export interface Scratch {
  readonly maxBatch: number;
  readonly audio: Float32Array;
  readonly lengths: BigInt64Array;
  readonly channel: Float32Array;
  readonly time: Float32Array;
  readonly filled: BigInt64Array;
  readonly prompt: BigInt64Array;
  readonly rows: Float32Array;
  readonly encodedLengths: BigInt64Array;
  readonly channelNext: Float32Array;
  readonly timeNext: Float32Array;
  readonly filledNext: BigInt64Array;
}

/** Returns the number of floats in the attention cache of a stream. */
export const channelSize = ({ layers, left, width }: EncoderShape): number => layers * left * width;
/** Returns the number of floats in the convolution cache of a stream. */
export const timeSize = ({ layers, width, convContext }: EncoderShape): number => layers * width * convContext;
/** Returns the number of floats in the features of a window. */
export const audioSize = ({ mels, framing }: EncoderShape): number => mels * framing.window;
/** Returns the number of floats in the output of a full window. */
export const rowsSize = ({ frames, outputSize }: EncoderShape): number => frames * outputSize;

/** Allocates buffers that are large enough for a batch of any of these shapes. */
export function buildScratch(shapes: readonly EncoderShape[], maxBatch: number): Scratch {
  const floats = (size: (shape: EncoderShape) => number) => new Float32Array(maxBatch * Math.max(...shapes.map(size)));
  const ints = () => new BigInt64Array(maxBatch);
  return {
    maxBatch,
    audio: floats(audioSize),
    lengths: ints(),
    channel: floats(channelSize),
    time: floats(timeSize),
    filled: ints(),
    prompt: ints(),
    rows: floats(rowsSize),
    encodedLengths: ints(),
    channelNext: floats(channelSize),
    timeNext: floats(timeSize),
    filledNext: ints(),
  };
}
