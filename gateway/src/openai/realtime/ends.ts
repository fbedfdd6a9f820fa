import type { ServerMessage } from '@svc-asr/core';
import type { Operations } from './operations.ts';

/** What ends an utterance: a commit or a clear of the client, another configuration, or the end of the session. */
export type End = 'flush' | 'reset' | 'config' | 'finish';

/** Who ends an utterance. Commits and clears of the client are answered in their order. */
export type EndedBy = 'client' | 'service';

/**
 * Returns who ends the utterance of a message. `ends` are those that the stream has not answered. An answer removes the
 * first of them.
 */
export function takeEnd(message: ServerMessage, ends: End[], waiting: Operations): EndedBy {
  const isAnswer = message.type === 'reset_ack' || (message.type === 'final' && message.endpoint !== true);
  // A stream that ends by itself answers an end that it was not sent.
  const end = ends[0] ?? (isAnswer ? 'finish' : waiting.firstEnd);
  if (isAnswer) ends.shift();
  if (end !== 'finish') return end === 'config' ? 'service' : 'client';
  if (waiting.first?.type !== 'flush') return 'service';
  // The client has committed the audio that the end of the session finalizes.
  if (isAnswer) waiting.shift();
  return 'client';
}

/** Returns whether the service ends the utterance that the stream is answering. The audio after it is another one. */
export function isEndedByService(ends: readonly End[], waiting: Operations): boolean {
  const isConfigured = ends.includes('config') || waiting.hasConfig;
  return isConfigured || (ends.at(-1) === 'finish' && waiting.audioBytes > 0);
}

/** Returns the answer to a commit or a clear before which no stream has received audio. */
export function answerWithoutAudio(end: 'flush' | 'reset'): ServerMessage {
  if (end === 'reset') return { type: 'reset_ack', utterance: 1 };
  return { type: 'final', text: '', utterance: 1, audio_start_ms: 0, audio_end_ms: 0, words: [] };
}
