import type { Framing } from '../features/framing.ts';

/** Division of a stream's audio at one context, on any hardware. */
export interface ContextShape {
  readonly framing: Framing;
  readonly subsampling: number;
  /** Whether the features at the start of a window are computed again from audio that an earlier window contained. */
  readonly recomputesHistory: boolean;
}
