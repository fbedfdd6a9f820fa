import type { ContextSize, RelayAnswer } from '@svc-asr/core';
import type { RefusedPart } from '../configuration.ts';
import type { CapacityWait } from './placement.ts';

/** An answer of a worker about the audio of a stream. */
export type StreamAnswer = Extract<RelayAnswer, { type: 'delta' | 'final' | 'reset_done' | 'consumed' }>;

/** Callbacks of the recognition of one stream. */
export interface RecognitionEvents {
  /** Called repeatedly while the stream waits for a worker. */
  onWait: (wait: CapacityWait) => void;
  /** Called when a worker was assigned, before it has opened the stream. */
  onPlaced: () => void;
  /**
   * Called when a worker has opened the stream with this context, and again after each move and each change of the
   * configuration.
   */
  onOpened: (context: ContextSize, chunkSamples: number) => void;
  onAnswer: (answer: StreamAnswer) => void;
  /** Called when the worker does not support this part of the requested configuration. */
  onConfigurationRefused: (part: RefusedPart) => void;
  /** Called when the stream must fail. */
  onFailed: (code: 'no_capacity' | 'internal_error') => void;
}
