import type { Framing } from '../features/framing.ts';

/** How the audio of a stream is divided into windows at one context. The division is the same on all hardware. */
export interface ContextShape {
  readonly framing: Framing;
  readonly subsampling: number;
  /**
   * Whether the features at the start of a window are computed again, from audio that the previous window contained.
   */
  readonly recomputesHistory: boolean;
}
