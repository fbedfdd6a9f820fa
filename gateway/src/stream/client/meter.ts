import { AUDIO } from '@svc-asr/core';

/** Audio that is accepted from a frame, or the code of the error if the frame is invalid. */
export type Metered =
  | { ok: true; pcm: Buffer; full: boolean; rest?: Buffer }
  | { ok: false; code: 'invalid_audio_frame' | 'frame_too_large' };

/**
 * Returns the part of a frame that fits into the reservation. `full` is true if no further audio fits. `rest` is the
 * part of the frame that does not fit.
 */
export function meter(frame: Buffer, acceptedSamples: number, limitSamples: number): Metered {
  if (frame.length > AUDIO.maxFrameBytes) return { ok: false, code: 'frame_too_large' };
  if (frame.length % AUDIO.bytesPerSample !== 0) return { ok: false, code: 'invalid_audio_frame' };
  const left = (limitSamples - acceptedSamples) * AUDIO.bytesPerSample;
  const pcm = frame.length > left ? frame.subarray(0, left) : frame;
  const full = pcm.length === left;
  return frame.length > left ? { ok: true, pcm, full, rest: frame.subarray(left) } : { ok: true, pcm, full };
}
