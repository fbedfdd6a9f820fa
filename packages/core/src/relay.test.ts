import fc from 'fast-check';
import { parseRelayAnswer, parseRelayRequest, RELAY_ANSWERS, RELAY_REQUESTS } from './relay.ts';
import type { RelayAnswer, RelayRequest } from './relay.ts';

const requests: RelayRequest[] = [
  { type: 'open', context: [56, 13], ticket: 't' },
  { type: 'open', context: [56, 0], ticket: 't', realtime_from: 16_000 },
  { type: 'open', context: [56, 13], ticket: 't', endpointing: { silence_ms: 500, not_before: 17_920 } },
  { type: 'open', context: [56, 13], ticket: 't', phrases: [{ text: "murang'a", boost: 5 }] },
  { type: 'flush' },
  { type: 'reset' },
];
const answers: RelayAnswer[] = [
  { type: 'opened', chunk_samples: 17_920, context: [56, 13], buffer_samples: 65_536 },
  { type: 'opened', chunk_samples: 17_920, context: [56, 13], buffer_samples: 65_536, endpointing: true },
  { type: 'opened', chunk_samples: 17_920, context: [56, 13], buffer_samples: 65_536, phrases: false },
  { type: 'delta', text: 'wĩ mwega', audio_end: 17_920 },
  { type: 'delta', text: 'wĩ mwega', audio_end: 17_920, speech_start: 2560 },
  { type: 'final', text: '', audio_end: 20_480, words: [], endpoint: true },
  { type: 'final', text: 'wĩ', audio_end: 20_000, words: [{ text: 'wĩ', start_ms: 80, end_ms: 240 }] },
  { type: 'final', text: 'a', audio_end: 1, words: [{ text: 'a', start_ms: 0, end_ms: 0, confidence: 0.5 }] },
  { type: 'reset_done' },
  { type: 'consumed', samples: 0 },
  { type: 'move' },
  { type: 'move', within_ms: 20_000 },
  { type: 'error', code: 'no_slot', message: 'all 4 slots are taken' },
];

test.each(requests)('parseRelayRequest accepts a gateway message of type $type', (message) => {
  expect(parseRelayRequest(JSON.stringify(message))).toEqual({ ok: true, message });
});

test.each(answers)('parseRelayAnswer accepts a worker message of type $type', (message) => {
  expect(parseRelayAnswer(JSON.stringify(message))).toEqual({ ok: true, message });
});

test('the examples in this test file cover every message type of the relay protocol', () => {
  expect(new Set(requests.map(({ type }) => type))).toEqual(new Set(Object.keys(RELAY_REQUESTS)));
  expect(new Set(answers.map(({ type }) => type))).toEqual(new Set(Object.keys(RELAY_ANSWERS)));
});

test('parseRelayRequest ignores unknown fields, which a newer gateway may send', () => {
  expect(parseRelayRequest('{"type":"flush","since":1}').ok).toBe(true);
});

test.each([-0.001, 1.001, '0.5', null])('parseRelayAnswer refuses a final with the confidence %j', (confidence) => {
  const words = [{ text: 'a', start_ms: 0, end_ms: 0, confidence }];
  const parsed = parseRelayAnswer(JSON.stringify({ type: 'final', text: 'a', audio_end: 1, words }));
  expect(parsed).toMatchObject({ ok: false, reason: expect.stringContaining('confidence') });
});

test.each([
  ['', 'not JSON'],
  ['null', 'not a type of this protocol'],
  ['{"type":"delta"}', 'not a type of this protocol'],
  ['{"type":"constructor"}', 'not a type of this protocol'],
  ['{"type":"open"}', 'context: is required'],
  ['{"type":"open","context":[56]}', 'context: must not have fewer than 2 items'],
  ['{"type":"open","context":[56,13],"realtime_from":-1}', 'realtime_from: must be at least 0'],
  ['{"type":"open","context":[56,13],"phrases":[{"text":"a"}]}', 'phrases.0.boost: is required'],
])('parseRelayRequest refuses the message %s with the reason "%s"', (text, reason) => {
  expect(parseRelayRequest(text)).toEqual({ ok: false, reason });
});

test('parseRelayAnswer never throws, and its reasons never quote the input', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 12 }), (secret) => {
      for (const text of [
        secret,
        JSON.stringify({ type: secret }),
        JSON.stringify({ type: 'final', text: [secret] }),
      ]) {
        const parsed = parseRelayAnswer(text);
        expect(!parsed.ok && !parsed.reason.includes(secret)).toBe(true);
      }
    }),
  );
});
