import type { ConfigAckMessage, FinalMessage } from '@svc-asr/core';
import { createDeferred } from '../stream/deferred.ts';
import { Replies } from './replies.ts';
import { Timeline } from './timeline.ts';

/** Returns a timeline with 3 s of audio. Its first second and two utterances are complete. */
function timelineOf(): Timeline {
  const timeline = new Timeline(undefined);
  timeline.audio.append(new Uint8Array(3 * 32_000));
  timeline.completeUntil(16_000);
  timeline.utterance = 3;
  return timeline;
}
const endpoint: FinalMessage = {
  type: 'final',
  text: 'a',
  utterance: 1,
  audio_start_ms: 0,
  audio_end_ms: 1000,
  words: [{ text: 'a', start_ms: 100, end_ms: 400, confidence: 0.9 }],
  endpoint: true,
};

test('Replies translates the times of speech events, and of finals that a pause caused, to times of the long stream', () => {
  const timeline = timelineOf();
  const replies = new Replies(timeline);
  const receive = (event: Parameters<Replies['receive']>[0]) => replies.receive(event, undefined);
  expect(receive({ type: 'speech_started', utterance: 1, audio_start_ms: 100 })).toEqual({
    type: 'speech_started',
    utterance: 3,
    audio_start_ms: 1100,
  });
  expect(receive({ type: 'speech_ended', utterance: 1, audio_end_ms: 400 })).toEqual({
    type: 'speech_ended',
    utterance: 3,
    audio_end_ms: 1400,
  });
  expect(receive(endpoint)).toEqual({
    ...endpoint,
    utterance: 3,
    audio_start_ms: 1000,
    audio_end_ms: 2000,
    words: [{ text: 'a', start_ms: 1100, end_ms: 1400, confidence: 0.9 }],
  });
  expect([timeline.resumeAt, timeline.utterance]).toEqual([32_000, 4]);
});

test('Replies does not resolve a flush with a final that a pause caused', async () => {
  const timeline = timelineOf();
  const reply = createDeferred<FinalMessage>();
  timeline.operations.push({ kind: 'flush', at: 32_000, reply });
  const replies = new Replies(timeline);
  replies.markSent();
  replies.receive(endpoint, undefined);
  expect(timeline.operations).toHaveLength(1);
  const { endpoint: _endpoint, ...final } = endpoint;
  replies.receive({ ...final, utterance: 2, audio_start_ms: 1000 }, undefined);
  expect(timeline.operations).toHaveLength(0);
  expect(await reply.promise).toMatchObject({ utterance: 4 });
});

test('if a session ends with a final, and the next session gets the audio of all words of this final again, Replies does not increase the utterance number', () => {
  const timeline = timelineOf();
  const replies = new Replies(timeline);
  replies.receive(endpoint, undefined);
  const words = [{ text: 'b', start_ms: 1200, end_ms: 1500 }];
  const early: FinalMessage = {
    type: 'final',
    text: 'b',
    utterance: 2,
    audio_start_ms: 1000,
    audio_end_ms: 1500,
    words,
  };
  expect(replies.receive(early, undefined)).toBeUndefined();
  expect(replies.end(true)).toBeUndefined();
  expect([timeline.resumeAt, timeline.utterance]).toEqual([32_000, 4]);
});

test('if the long stream sends a config again by itself, Replies hides the acknowledgement, but passes on a refusal', () => {
  const replies = new Replies(timelineOf());
  replies.expectOwnConfig();
  replies.expectOwnConfig();
  const ack: ConfigAckMessage = { type: 'config_ack', language: 'ki', context_size: [56, 13], chunk_samples: 17_920 };
  expect(replies.receive(ack, undefined)).toBeUndefined();
  const refusal = { type: 'error', code: 'invalid_config', message: 'No.', fatal: false } as const;
  expect(replies.receive(refusal, undefined)).toBe(refusal);
});
