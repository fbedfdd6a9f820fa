import type { Word } from '../decode/pieces.ts';
import type { ModelErrorCode } from '../model/error.ts';
import type { Context } from '../model/manifest.ts';

/** What the inference thread is started with. */
export interface ThreadOptions {
  readonly modelDir: string;
  readonly provider: string;
  readonly threads: number;
  readonly maxBatch: number;
  readonly paddedBatches: boolean;
  /** Fixed number of slots; undefined derives it from the warm-up. */
  readonly slots: number | undefined;
  readonly maxSlots: number;
  /** How long the warm-up measures what slots are derived from, at most. */
  readonly measureMs: number;
  /** Share of the measured capacity that slots may use. */
  readonly utilization: number;
}

/** A context of the loaded model and what it costs. */
export interface ContextInfo {
  readonly context: Context;
  readonly chunkSamples: number;
  /** Wall time per second of audio and stream, in full batches, features and decoding included. */
  readonly realTimeFactor: number;
}

/** What a loaded and warmed-up model is. */
export interface ModelInfo {
  readonly model: string;
  readonly language: string;
  readonly languageCode: string;
  readonly type: 'ctc' | 'transducer';
  /** The default context first. */
  readonly contexts: readonly ContextInfo[];
  readonly subsampling: number;
  readonly slots: number;
}

/** End of an utterance in a stream, at this sample of it. */
export interface Mark {
  readonly kind: 'flush' | 'reset';
  readonly at: number;
}

/** From the main thread, in order; several travel in one message. */
export type Command =
  | {
      readonly kind: 'open';
      readonly id: number;
      readonly slot: number;
      readonly context: string;
      readonly utterance: number;
      readonly realtimeFrom: number;
    }
  | { readonly kind: 'mark'; readonly id: number; readonly mark: Mark }
  | { readonly kind: 'close'; readonly id: number }
  /** Some stream has a window's worth of audio. */
  | { readonly kind: 'wake' }
  | { readonly kind: 'stop' };

/** The transcript so far of an utterance that goes on. */
export interface Delta {
  readonly utterance: number;
  readonly text: string;
  /** Decoded audio in milliseconds from the utterance's start. */
  readonly audioEndMs: number;
}

/** The transcript of an utterance. */
export interface Final {
  readonly utterance: number;
  readonly text: string;
  /** Times are milliseconds from the utterance's start. */
  readonly words: readonly Word[];
  /** First sample of the utterance and first after it, counted from the stream's start. */
  readonly startSample: number;
  readonly endSample: number;
  readonly cost: Cost;
}

/** What recognizing an utterance took. */
export interface Cost {
  /** Windows of it that were run. */
  readonly windows: number;
  /** Sum of the sizes of the batches that they were in. */
  readonly batched: number;
  /** Time that they waited, complete, for their run. */
  readonly waitMs: number;
  /** Time of the runs that they were in. */
  readonly runMs: number;
}

/** About one stream. */
export type StreamEvent =
  | { readonly id: number; readonly kind: 'delta'; readonly delta: Delta }
  | { readonly id: number; readonly kind: 'final'; readonly final: Final }
  /** The utterance that ended at this sample was dropped. */
  | { readonly id: number; readonly kind: 'reset'; readonly at: number }
  /** Samples before this one are no longer buffered. */
  | { readonly id: number; readonly kind: 'consumed'; readonly samples: number }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string }
  /** The slot is free again. */
  | { readonly id: number; readonly kind: 'closed' };

/** From the inference thread. */
export type Report =
  | { readonly kind: 'loaded'; readonly info: ModelInfo }
  | { readonly kind: 'refused'; readonly code: ModelErrorCode | undefined; readonly message: string }
  | { readonly kind: 'events'; readonly events: readonly StreamEvent[] };
