import { BatchRunner } from '../engine/batch.ts';
import { CachePool } from '../engine/caches.ts';
import { Lane } from '../engine/lane.ts';
import { startSearch } from '../engine/search.ts';
import { AudioRing, createSharedBuffers } from '../engine/shared.ts';
import { loadModel } from '../model/load.ts';
import { channelSize, rowsSize, timeSize } from '../model/scratch.ts';
import { readWav } from './data.ts';

/** Result of the engine's pipeline for a recording: encoder rows and piece ids. */
export interface PipelineResult {
  readonly rows: Float32Array[];
  readonly ids: number[];
}

/** Creates one stream of a model with lane, features, caches and search, without threads. */
export async function openPipeline(folder: string, context = '56,13') {
  const model = await loadModel(folder, { provider: 'cpu', threads: 1, paddedBatches: false }, 2);
  const encoder = model.encoders.get(context);
  if (encoder === undefined) throw new Error(`the model has no context ${context}`);
  const { shape } = encoder;
  const caches = new CachePool(1, channelSize(shape), timeSize(shape));
  const runner = new BatchRunner(model, caches, shape.mels, () => undefined);
  const ring = new AudioRing(createSharedBuffers(1), 0);
  const search = () => startSearch(model);
  const lane = new Lane({ id: 1, slot: 0, context, encoder, ring, utterance: 0, startSearch: search });
  return { encoder, runner, ring, lane };
}

/** Transcribes a recording through the pipeline in batches of one. */
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
