import type { PhraseGraph } from '../../decode/phrases/graph.ts';
import { loadModel } from '../../model/load.ts';
import type { Model } from '../../model/load.ts';
import { channelSize, timeSize } from '../../model/scratch.ts';
import type { RuntimeOptions } from '../../model/session.ts';
import type { Backend, OnRun, Runner } from '../backend.ts';
import type { ContextShape } from '../context-shape.ts';
import { startSearch } from '../search.ts';
import type { Search } from '../search.ts';
import { BatchRunner } from './batch.ts';
import { CachePool } from './caches.ts';

/**
 * A model that onnxruntime-node runs. The worker process itself computes the features and the search, and keeps the
 * state of the streams in its memory.
 */
export class HostBackend implements Backend {
  readonly contexts: ReadonlyMap<string, ContextShape>;
  readonly maxBatch: number;
  readonly paddedSizes: readonly number[] | undefined;
  readonly maxRuns = 1;
  readonly maxSlots = Infinity;
  readonly #model: Model;
  readonly #alternatives: number;

  constructor(model: Model, maxBatch: number, alternatives = 0, isPadded = false) {
    this.#model = model;
    this.#alternatives = alternatives;
    this.maxBatch = maxBatch;
    this.paddedSizes = isPadded ? [maxBatch] : undefined;
    this.contexts = new Map(
      [...model.encoders].map(([context, { shape }]) => [
        context,
        { framing: shape.framing, subsampling: shape.subsampling, recomputesHistory: false },
      ]),
    );
  }

  static async load(
    folder: string,
    runtime: RuntimeOptions,
    maxBatch: number,
    alternatives: number,
  ): Promise<HostBackend> {
    const model = await loadModel(folder, runtime, maxBatch);
    return new HostBackend(model, maxBatch, alternatives, runtime.paddedBatches);
  }

  get manifest(): Model['manifest'] {
    return this.#model.manifest;
  }

  get supportsPhrases(): boolean {
    return this.manifest.type === 'ctc';
  }

  startSearch(phrases?: PhraseGraph): Search {
    return startSearch(this.#model.vocabulary, this.#model.joint, this.#alternatives, phrases);
  }

  createRunner(slots: number, onRun: OnRun): Runner {
    const [first] = this.#model.encoders.values();
    if (first === undefined) throw new Error('the model has no context');
    const { shape } = first;
    const history = shape.mels * (shape.framing.window - shape.framing.shift);
    const caches = new CachePool(slots, { channel: channelSize(shape), time: timeSize(shape), history });
    return new BatchRunner(this.#model, caches, shape.mels, onRun);
  }

  close(): Promise<void> {
    return this.#model.release();
  }
}
