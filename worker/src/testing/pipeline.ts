import type { Runner } from '../engine/backend.ts';
import { HostBackend } from '../engine/host/backend.ts';
import { Lane } from '../engine/lane.ts';
import { AudioRing, createSharedBuffers } from '../engine/shared.ts';
import type { Encoder } from '../model/encoder.ts';
import { loadModel } from '../model/load.ts';
import { rowsSize } from '../model/scratch.ts';
import { readWav } from './data.ts';

/** Result of the engine's pipeline for a recording: encoder rows and piece ids. */
export interface PipelineResult {
  readonly rows: Float32Array[];
  readonly ids: number[];
}

/** The parts that process one stream of a model, without threads. */
interface Pipeline {
  readonly encoder: Encoder;
  readonly runner: Runner;
  readonly ring: AudioRing;
  readonly lane: Lane;
}

/** Creates the parts that process one stream of a model: lane, features, caches and search. Does not start threads. */
export async function openPipeline(folder: string, context = '56,13'): Promise<Pipeline> {
  const model = await loadModel(folder, { provider: 'cpu', threads: 1, paddedBatches: false }, 2);
  const backend = new HostBackend(model, 2);
  const [encoder, shape] = [model.encoders.get(context), backend.contexts.get(context)];
  if (encoder === undefined || shape === undefined) throw new Error(`the model has no context ${context}`);
  const runner = backend.createRunner(1, () => undefined);
  const ring = new AudioRing(createSharedBuffers(1), 0);
  const startSearch = () => backend.startSearch();
  const lane = new Lane({ id: 1, slot: 0, context, shape, ring, utterance: 0, startSearch });
  return { encoder, runner, ring, lane };
}

/** Transcribes a recording with the pipeline, in batches of one stream. */
export async function throughPipeline(folder: string, wav: string, context?: string): Promise<PipelineResult> {
  const { encoder, runner, ring, lane } = await openPipeline(folder, context);
  const { shape, scratch } = encoder;
  const search = lane.search;
  const audio = readWav(wav);
  const rows: Float32Array[] = [];
  let written = 0;
  let marked = false;
  for (;;) {
    written += ring.write(audio.subarray(written));
    const next = lane.next();
    if (next.kind === 'run') {
      await runner.run([{ lane, length: next.length }], () => true);
      const frames = Number(scratch.encodedLengths[0]);
      rows.push(
        scratch.rows
          .slice(0, rowsSize(shape))
          .subarray(0, shape.output === 'logprobs' ? frames * shape.outputSize : undefined),
      );
    } else if (!marked) {
      marked = true;
      ring.mark();
      lane.mark({ kind: 'flush', at: audio.length });
      lane.settle();
    } else break;
  }
  return { rows, ids: [...search.transcript.ids] };
}
