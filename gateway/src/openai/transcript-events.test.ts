import type { Response } from 'express';
import { ApiError } from '@svc-asr/core';
import type { ServerMessage } from '@svc-asr/core';
import { TranscriptEvents } from './transcript-events.ts';

/** Creates transcript events with a response that records what is written. */
function createEvents() {
  const written: string[] = [];
  const response = {
    headersSent: false,
    locals: { exchange: { requestId: 'request-1' } },
    writeHead: () => {
      response.headersSent = true;
      return response;
    },
    write: (text: string) => written.push(text),
    end: () => written.push('end'),
  };
  const events = new TranscriptEvents(response as unknown as Response);
  const texts = (...list: readonly (readonly ['delta' | 'final', string])[]) => {
    for (const [type, text] of list) events.onMessage({ type, text } as ServerMessage);
  };
  const sent = () =>
    written.filter((text) => text.startsWith('data: ')).map((text) => JSON.parse(text.slice(6)) as { delta?: string });
  return { events, texts, sent, written };
}

const TRANSCRIPT = { words: [], seconds: 2.5, language: 'ki' };

test('TranscriptEvents sends only new text as deltas, even in a second utterance, and at the end the whole text and the usage', () => {
  const { events, texts, sent, written } = createEvents();
  texts(['delta', ''], ['delta', 'wĩ'], ['delta', 'wĩ mwe'], ['final', 'wĩ mwega'], ['delta', 'ni'], ['final', 'nĩ']);
  expect(sent().map(({ delta }) => delta)).toEqual(['wĩ', ' mwe', 'ga', ' ni']);
  events.end({ ...TRANSCRIPT, text: 'wĩ mwega nĩ' });
  expect(sent().at(-1)).toEqual({
    type: 'transcript.text.done',
    text: 'wĩ mwega nĩ',
    usage: { type: 'duration', seconds: 3 },
  });
  expect(written.at(-1)).toBe('end');
});

test('TranscriptEvents sends the done event for a file without words', () => {
  const { events, sent } = createEvents();
  events.end({ ...TRANSCRIPT, text: '' });
  expect(sent()).toEqual([{ type: 'transcript.text.done', text: '', usage: { type: 'duration', seconds: 3 } }]);
});

test('TranscriptEvents.fail sends an error event and ends the response if an event was already sent', () => {
  const { events, texts, written } = createEvents();
  texts(['delta', 'wĩ']);
  events.fail(new Error('defect'));
  expect(written.slice(1)).toEqual([
    'event: error\n',
    expect.stringMatching(
      /^data: {"error":{"type":"api_error","code":"service_unavailable",.*"request_id":"request-1"}}\n\n$/,
    ),
    'end',
  ]);
});

test('TranscriptEvents.fail throws the given error if no event was sent yet', () => {
  const error = new ApiError('insufficient_credits');
  expect(() => createEvents().events.fail(error)).toThrow(error);
});
