import type { ServerMessage } from '@svc-asr/core';
import type { Operations } from './operations.ts';

/**
 * Cause of the end of an utterance. `flush` is a commit of the client, and `reset` is a clear. `config` is a new
 * configuration, and `finish` is the end of the session.
 */
export type End = 'flush' | 'reset' | 'config' | 'finish';

/** Side that ends an utterance. Commits and clears of the client are answered in the order in which they were sent. */
export type EndedBy = 'client' | 'service';

/**
 * Returns whether the client or the service ends the utterance that a message of the stream is about. `ends` lists the
 * requests to end an utterance that the stream has not answered yet. If the message is the answer to such a request,
 * removes the first entry of `ends`.
 */
export function takeEnd(message: ServerMessage, ends: End[], waiting: Operations): EndedBy {
  const isAnswer = message.type === 'reset_ack' || (message.type === 'final' && message.endpoint !== true);
  // A stream that ends by itself sends a `final` that no entry of `ends` has requested.
  const end = ends[0] ?? (isAnswer ? 'finish' : waiting.firstEnd);
  if (isAnswer) ends.shift();
  if (end !== 'finish') return end === 'config' ? 'service' : 'client';
  if (waiting.first?.type !== 'flush') return 'service';
  // The client has committed the audio that the end of the session transcribes, so this `final` also answers the
  // commit.
  if (isAnswer) waiting.shift();
  return 'client';
}

/**
 * Returns whether the service ends an utterance before the next commit or clear of the client. That commit or clear is
 * then about the audio after this utterance.
 */
export function isEndedByService(ends: readonly End[], waiting: Operations): boolean {
  const isConfigured = ends.includes('config') || waiting.hasConfig;
  return isConfigured || (ends.at(-1) === 'finish' && waiting.audioBytes > 0);
}

/**
 * Returns the answer to a commit or clear that no stream can answer, because there is no stream or the stream has
 * ended.
 */
export function answerWithoutAudio(end: 'flush' | 'reset'): ServerMessage {
  if (end === 'reset') return { type: 'reset_ack', utterance: 1 };
  return { type: 'final', text: '', utterance: 1, audio_start_ms: 0, audio_end_ms: 0, words: [] };
}
