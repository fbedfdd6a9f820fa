import { InferenceSession, Tensor } from 'onnxruntime-node';
import { cacheSizes } from './cache-sizes.ts';

const [MELS, WINDOW, LEFT, TAIL] = [80, 121, 56, 8];
/** Outputs of a stream that must not depend on the other streams of its batch. */
const OUTPUTS = ['logprobs', 'cache_last_channel_next', 'cache_last_time_next'];

/** Returns pseudo-random values between -amplitude and amplitude. The same seed always gives the same values. */
function noise(count: number, seed: number, amplitude: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (state / 1_073_741_824 - 1) * amplitude;
  });
}

/**
 * Runs noise through a graph of a bundled model and returns the outputs of the first stream. In the batch, each stream
 * has a higher amplitude than the stream before it.
 */
async function runBatch(session: InferenceSession, batch: number): Promise<Float32Array[]> {
  const fill = (dims: number[], amplitude: number): Tensor => {
    const size = dims.reduce((a, b) => a * b, 1);
    const data = new Float32Array(batch * size);
    for (let i = 0; i < batch; i++) data.set(noise(size, i + 1, amplitude * (i + 1)), i * size);
    return new Tensor('float32', data, [batch, ...dims]);
  };
  const ints = (value: number) => new Tensor('int64', new BigInt64Array(batch).fill(BigInt(value)), [batch]);
  const { layers, width } = cacheSizes(session);
  const answer = await session.run({
    audio_signal: fill([MELS, WINDOW], 8),
    length: ints(WINDOW),
    cache_last_channel: fill([layers, LEFT, width], 2),
    cache_last_time: fill([layers, width, TAIL], 1),
    cache_last_channel_len: ints(LEFT),
  });
  return OUTPUTS.map((name) => {
    const data = answer[name]?.data as Float32Array;
    return data.slice(0, data.length / batch);
  });
}

/**
 * Returns for each batch size whether the outputs of the first stream are bit-identical to its outputs when it runs
 * alone.
 */
export async function equalToAlone(graph: string, batches: readonly number[]): Promise<boolean[]> {
  const session = await InferenceSession.create(graph, { intraOpNumThreads: 1 });
  const alone = await runBatch(session, 1);
  const equal: boolean[] = [];
  for (const batch of batches) {
    const together = await runBatch(session, batch);
    equal.push(together.every((values, i) => values.every((value, at) => Object.is(value, alone[i]?.[at]))));
  }
  return equal;
}
