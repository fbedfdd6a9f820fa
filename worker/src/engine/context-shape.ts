import type { Framing } from '../features/framing.ts';

/**
 * Describes how the audio of a stream is divided into windows at one context. The division is the same on all hardware.
 */
export interface ContextShape {
  readonly framing: Framing;
  readonly subsampling: number;
  /**
   * Whether each window computes the features at its start again, from audio that it shares with the previous window.
   */
  readonly recomputesHistory: boolean;
}
