import type { FinalMessage } from '@svc-asr/core';

/** Maximum duration of audio that both a session and the session after it receive. This audio is charged twice. */
const MAX_OVERLAP_MS = 2000;
/** A word that ends this close to the end of a session may be incomplete. */
const UNCERTAIN_MS = 160;

export interface Seam {
  /** Position at which the next session starts, in the milliseconds of the session that ends. */
  resumeMs: number;
  /** The last `final` of the session, without the word that the next session recognizes again. */
  final: FinalMessage;
}

/**
 * Decides where the next session starts. After a pause it starts where this session ended. Otherwise the last word may
 * be incomplete, and the next session starts at the end of the word before.
 */
export function seamAfter(final: FinalMessage): Seam {
  const { words, audio_start_ms: startMs, audio_end_ms: endMs } = final;
  const last = words.at(-1);
  if (last === undefined || endMs - last.end_ms >= UNCERTAIN_MS) return { resumeMs: endMs, final };
  const completeMs = words.at(-2)?.end_ms ?? startMs;
  const resumeMs = Math.max(completeMs, endMs - MAX_OVERLAP_MS);
  // In these cases, the next session would receive only the end of a long word, or everything that this session
  // received. The next session therefore starts where this session ended.
  if (resumeMs > last.start_ms || resumeMs <= 0) return { resumeMs: endMs, final };
  const kept = words.slice(0, -1);
  const text = kept.map((word) => word.text).join(' ');
  return { resumeMs, final: { ...final, text, words: kept, audio_end_ms: resumeMs } };
}
