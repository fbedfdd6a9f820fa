import { Tensor } from 'onnxruntime-node';
import type { InferenceSession } from 'onnxruntime-node';
import { ModelError } from './error.ts';
import { audioSize, channelSize, rowsSize, timeSize } from './scratch.ts';
import type { Scratch } from './scratch.ts';
import type { EncoderShape } from './shape.ts';

type Tensors = Record<string, Tensor>;

/** A streaming encoder at one context. Its inputs and outputs are the buffers of `scratch`, so `run` copies nothing. */
export class Encoder {
  readonly shape: EncoderShape;
  readonly scratch: Scratch;
  readonly #session: InferenceSession;
  readonly #padded: boolean;
  /**
   * Tensors that contain the first n streams of the scratch, indexed by n. They are cached, because new tensors for
   * each run would increase the work of the garbage collector.
   */
  readonly #bound: ({ feeds: Tensors; fetches: Tensors } | undefined)[] = [];

  constructor(session: InferenceSession, shape: EncoderShape, scratch: Scratch, padded: boolean) {
    this.#session = session;
    this.shape = shape;
    this.scratch = scratch;
    this.#padded = padded;
  }

  /**
   * Encodes the first `batch` streams of the scratch. If batches are padded, the remaining places of the scratch are
   * encoded too. Their output is ignored.
   */
  async run(batch: number): Promise<void> {
    const size = this.#padded ? this.scratch.maxBatch : batch;
    this.#silence(batch, size);
    const { feeds, fetches } = (this.#bound[size] ??= this.#bind(size));
    await this.#session.run(feeds, fetches);
  }

  /**
   * Sets valid lengths for the places that pad a batch. The audio and the caches of these places contain values of
   * earlier runs.
   */
  #silence(from: number, to: number): void {
    this.scratch.lengths.fill(BigInt(this.shape.framing.window), from, to);
    this.scratch.filled.fill(0n, from, to);
  }

  /**
   * Runs up to two streams without preallocated outputs, to check the outputs of the graph. Throws if an output has an
   * unexpected shape.
   */
  async probe(file: string): Promise<void> {
    const batch = Math.min(2, this.scratch.maxBatch);
    const { feeds, fetches } = this.#bind(batch);
    this.#silence(0, this.scratch.maxBatch);
    let answer: Awaited<ReturnType<InferenceSession['run']>>;
    try {
      answer = await this.#session.run(feeds, Object.keys(fetches));
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ModelError('graph_unsupported', `${file}: a batch of ${batch} cannot be run: ${why}`, { cause });
    }
    for (const [name, { dims }] of Object.entries(fetches)) {
      const actual = answer[name]?.dims.join(', ') ?? 'nothing';
      if (actual !== dims.join(', ')) {
        throw new ModelError(
          'graph_mismatch',
          `${file}: output "${name}" is [${actual}], expected [${dims.join(', ')}]`,
        );
      }
    }
  }

  #bind(n: number): { feeds: Tensors; fetches: Tensors } {
    const { shape, scratch } = this;
    const { mels, layers, left, width, convContext, outputSize, frames } = shape;
    const floats = (data: Float32Array, size: number, dims: number[]) =>
      new Tensor('float32', data.subarray(0, n * size), [n, ...dims]);
    const ints = (data: BigInt64Array) => new Tensor('int64', data.subarray(0, n), [n]);
    const channel = [layers, left, width];
    const time = [layers, width, convContext];
    const rows = shape.output === 'logprobs' ? [frames, outputSize] : [outputSize, frames];
    return {
      feeds: {
        audio_signal: floats(scratch.audio, audioSize(shape), [mels, shape.framing.window]),
        length: ints(scratch.lengths),
        cache_last_channel: floats(scratch.channel, channelSize(shape), channel),
        cache_last_time: floats(scratch.time, timeSize(shape), time),
        cache_last_channel_len: ints(scratch.filled),
        ...(shape.takesPrompt ? { prompt_index: ints(scratch.prompt) } : {}),
      },
      fetches: {
        [shape.output]: floats(scratch.rows, rowsSize(shape), rows),
        encoded_lengths: ints(scratch.encodedLengths),
        cache_last_channel_next: floats(scratch.channelNext, channelSize(shape), channel),
        cache_last_time_next: floats(scratch.timeNext, timeSize(shape), time),
        cache_last_channel_next_len: ints(scratch.filledNext),
      },
    };
  }
}
