import type { DecodedPiece, Word } from '../decode/pieces.ts';
import type { Phrase } from '../decode/phrases/graph.ts';
import type { ModelErrorCode } from '../model/error.ts';
import type { Context } from '../model/manifest.ts';
import type { Endpointing } from './endpointer.ts';
import type { RunCost } from './run-cost.ts';
import type { MachineShare } from './share.ts';

/** Options of the inference thread. */
export interface ThreadOptions {
  readonly modelDir: string;
  readonly provider: string;
  /** Whether the GPU graphs of the model are used. */
  readonly gpuGraphs: boolean;
  readonly threads: number;
  readonly maxBatch: number;
  /** Number of alternatives that finals report for each decoded piece. */
  readonly alternatives: number;
  readonly paddedBatches: boolean;
  /** Fixed number of slots. If undefined, the number is derived from a measurement at warm-up. */
  readonly slots: number | undefined;
  readonly maxSlots: number;
  /** Maximum duration of the measurement at warm-up from which the number of slots is derived. */
  readonly measureMs: number;
  /** Share of the measured capacity for which the worker offers slots. */
  readonly utilization: number;
  readonly share: MachineShare;
}

/** A context of the loaded model with its cost. */
export interface ContextInfo {
  readonly context: Context;
  readonly chunkSamples: number;
  /**
   * Number of samples at the end of a chunk that the processing of the chunk does not need. The chunk can be processed
   * before they arrive.
   */
  readonly earlySamples: number;
  /** Wall time per second of audio of one stream, measured in full batches. Includes features and decoding. */
  readonly realTimeFactor: number;
  readonly runCost: RunCost;
}

/** Description of a loaded model after its warm-up. */
export interface ModelInfo {
  readonly model: string;
  readonly language: string;
  readonly languageCode: string;
  readonly type: 'ctc' | 'transducer';
  /** Supported contexts. The default context comes first. */
  readonly contexts: readonly ContextInfo[];
  readonly subsampling: number;
  readonly slots: number;
  /**
   * Number of streams that the engine can serve, as measured at warm-up. `slots` differs from this number if a limit
   * applies or if a user has set the number of slots.
   */
  readonly measuredSlots: number;
  /** Part of the machine's time that the engine may use, from 0 to 1. Other models use the remaining time. */
  readonly timeShare: number;
  /** Whether GPU graphs are used, which keep the state of streams on the device. */
  readonly gpuGraphs: boolean;
  /** Whether streams can prefer phrases. */
  readonly supportsPhrases: boolean;
}

/** End of an utterance, at sample `at` of its stream. */
export interface Mark {
  readonly kind: 'flush' | 'reset';
  readonly at: number;
}

/** Command from a thread that serves streams. One message contains several commands in order. */
export type Command =
  | {
      readonly kind: 'open';
      readonly id: number;
      readonly slot: number;
      readonly context: string;
      readonly utterance: number;
      readonly realtimeFrom: number;
      readonly endpointing: Endpointing | undefined;
      readonly phrases: readonly Phrase[];
    }
  | { readonly kind: 'mark'; readonly id: number; readonly mark: Mark }
  | { readonly kind: 'close'; readonly id: number }
  /** These streams may have enough audio for another window. */
  | { readonly kind: 'wake'; readonly ids: number[] }
  | { readonly kind: 'stop' };

/** Transcript of the decoded part of an utterance that has not ended. */
export interface Delta {
  readonly utterance: number;
  readonly text: string;
  /** End of the decoded audio, in milliseconds from the utterance's start. */
  readonly audioEndMs: number;
  /** Start of the first word, in milliseconds from the utterance's start. Only for streams with endpointing. */
  readonly speechStartMs?: number;
}

/** Transcript of an utterance that has ended. */
export interface Final {
  readonly utterance: number;
  readonly text: string;
  /** Times are milliseconds from the utterance's start. */
  readonly words: readonly Word[];
  /**
   * Number of the utterance's first sample. `endSample` is the number of the first sample after the utterance. Both
   * numbers count from the start of the stream.
   */
  readonly startSample: number;
  readonly endSample: number;
  /** True if a pause has ended the utterance, false if a flush has. */
  readonly isEndpoint: boolean;
  readonly cost: Cost;
  /** Decoded pieces with their alternatives. Undefined if the engine was started without alternatives. */
  readonly pieces?: readonly DecodedPiece[];
}

/** Resources that recognizing an utterance took. */
export interface Cost {
  /** Number of windows that were run. */
  readonly windows: number;
  /** Sum of the sizes of the batches that contained these windows. */
  readonly batched: number;
  /** Total time for which complete windows waited for the start of their runs. */
  readonly waitMs: number;
  /** Total duration of the runs that contained these windows. */
  readonly runMs: number;
}

/** Event of one stream. */
export type StreamEvent =
  | { readonly id: number; readonly kind: 'delta'; readonly delta: Delta }
  | { readonly id: number; readonly kind: 'final'; readonly final: Final }
  /** The utterance that ended at this sample was dropped. */
  | { readonly id: number; readonly kind: 'reset'; readonly at: number }
  /** The engine has consumed all samples before the position `samples`. They are not needed for a replay. */
  | { readonly id: number; readonly kind: 'consumed'; readonly samples: number }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string }
  /** The slot is free again. */
  | { readonly id: number; readonly kind: 'closed' };

/** Message from the inference thread. */
export type Report =
  | { readonly kind: 'loaded'; readonly info: ModelInfo }
  | { readonly kind: 'refused'; readonly code: ModelErrorCode | undefined; readonly message: string }
  | { readonly kind: 'events'; readonly events: readonly StreamEvent[] };
