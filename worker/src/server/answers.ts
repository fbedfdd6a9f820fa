import { SAMPLES_PER_MS } from '@svc-asr/core';
import type { RelayAnswer } from '@svc-asr/core';
import type { Delta, Final } from '../engine/protocol.ts';

/** Converts a delta of the engine to the answer for the gateway. */
export function deltaAnswer({ text, audioEndMs, speechStartMs }: Delta): Extract<RelayAnswer, { type: 'delta' }> {
  return {
    type: 'delta',
    text,
    audio_end: Math.floor(audioEndMs * SAMPLES_PER_MS),
    ...(speechStartMs !== undefined && { speech_start: speechStartMs * SAMPLES_PER_MS }),
  };
}

/** Converts a final of the engine to the answer for the gateway. */
export function finalAnswer(final: Final): Extract<RelayAnswer, { type: 'final' }> {
  const { text, words, startSample, endSample, isEndpoint } = final;
  return {
    type: 'final',
    text,
    audio_end: endSample - startSample,
    words: words.map(({ text: word, start_ms, end_ms, confidence }) => ({ text: word, start_ms, end_ms, confidence })),
    ...(isEndpoint && { endpoint: true }),
  };
}
