import type { InferenceSession } from 'onnxruntime-node';
import { port, portsOf } from '../model/ports.ts';

/** Returns the number of layers and the width of the encoder in a session. */
export function cacheSizes(encoder: InferenceSession): { layers: number; width: number } {
  const { shape } = port(portsOf('the encoder', encoder), 'inputs', 'cache_last_channel', 'float32', 4);
  return { layers: Number(shape[1]), width: Number(shape[3]) };
}
