import type { FinalMessage } from '@svc-asr/core';
import { createPendingReplies } from './pending-replies.ts';

const final = (utterance: number): FinalMessage => ({
  type: 'final',
  text: '',
  utterance,
  audio_start_ms: 0,
  audio_end_ms: 0,
  words: [],
});

test('a flush is resolved by its own final, and not by an earlier final that a pause caused', async () => {
  const replies = createPendingReplies();
  const flushed = replies.expect('final');
  replies.receive({ ...final(1), endpoint: true });
  replies.receive(final(2));
  expect(await flushed).toEqual(final(2));
});
