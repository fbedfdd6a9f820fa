import type { PhraseGraph } from '../decode/phrases/graph.ts';
import type { Manifest } from '../model/manifest.ts';
import type { ContextShape } from './context-shape.ts';
import type { Lane } from './lane.ts';
import type { StreamEvent } from './protocol.ts';
import type { Search } from './search.ts';
import type { RunFigures } from './shared.ts';

/** A lane whose next window is ready. */
export interface Work {
  readonly lane: Lane;
  /** Number of feature frames of the window up to the end of the audio. */
  readonly length: number;
  /**
   * If a transducer search finds fewer pieces than this, it runs additional steps and ignores their results. The
   * warm-up sets this number, because a search in noise finds few pieces and would take less time than a search in
   * speech.
   */
  readonly leastPieces?: number;
}

/** Called after each successful run, which consists of the encoder and the search of its results. */
export type OnRun = (run: RunFigures) => void;

/** Runs windows of streams, and owns the state of these streams between two windows. */
export interface Runner {
  /**
   * Encodes and decodes one window of each stream and returns the resulting events. All streams have the same context.
   * The results of streams for which `isOpen` returns false after the run are dropped. If the promise rejects, the
   * streams of the batch have lost their state.
   */
  run(batch: readonly Work[], isOpen: (lane: Lane) => boolean): Promise<StreamEvent[]>;
}

/** A model that is loaded on one kind of hardware. */
export interface Backend {
  readonly manifest: Manifest;
  /** Contexts by `contextKey`. The default context comes first. */
  readonly contexts: ReadonlyMap<string, ContextShape>;
  /** Largest number of windows in one run. */
  readonly maxBatch: number;
  /**
   * Sizes to which batches are padded, ascending. If they are undefined, batches are not padded, and the time of a run
   * depends only on its number of windows.
   */
  readonly paddedSizes: readonly number[] | undefined;
  /** Maximum number of runs that are active at the same time. */
  readonly maxRuns: number;
  /** Largest number of slots that the memory of the hardware allows. */
  readonly maxSlots: number;
  /**
   * Whether the search can prefer phrases. For this, a model must be a CTC model that returns the best classes of each
   * frame.
   */
  readonly supportsPhrases: boolean;
  /** Creates the search of a new utterance. If `phrases` is given, the search prefers these phrases. */
  startSearch(phrases?: PhraseGraph): Search;
  /** Creates a runner with memory for this number of slots. After this call, do not use earlier runners. */
  createRunner(slots: number, onRun: OnRun): Runner;
  /** Releases the graphs and all memory of the model. Call it when no run is active, and start no run afterwards. */
  close(): Promise<void>;
}

/** Error of the hardware or of its driver. The process cannot continue after it. */
export class DeviceLost extends Error {}
