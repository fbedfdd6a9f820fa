import { CLIENT_MESSAGES, parseClientMessage, STREAM_LIMITS } from '@svc-asr/core';
import { isDeepStrictEqual } from 'node:util';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

const MAX_REASON_CHARACTERS = 1000;

export const target: FuzzTarget = {
  property: 'parseClientMessage never throws, bounds its reason, and returns only known fields.',
  seeds: [
    '{"type":"config","language":"ki","context":[56,13],"endpointing":{"silence_ms":500}}',
    '{"type":"config","phrases":[{"text":"nyeri"},{"text":"oginga odinga","boost":2.5}]}',
    '{"type":"flush"}',
    '{"type":"reset"}',
    '{"type":"keepalive"}',
  ],
  dictionary: [
    '"type":',
    '"config"',
    '"endpointing":',
    '"phrases":',
    '"__proto__":',
    '"constructor"',
    'null',
    '[',
    '{',
    '\\ud800',
  ],
  maxBytes: STREAM_LIMITS.maxMessageBytes + 100,
  run: (input) => {
    const text = input.toString();
    const parsed = parseClientMessage(text);
    if (!parsed.ok) {
      check(parsed.reason.length <= MAX_REASON_CHARACTERS, 'the reason is too long');
      return;
    }
    check(Buffer.byteLength(text) <= STREAM_LIMITS.maxMessageBytes, 'a message over the limit was accepted');
    const { message } = parsed;
    const known = Object.keys(CLIENT_MESSAGES[message.type].properties);
    check(
      Object.keys(message).every((name) => known.includes(name)),
      'an unknown field was returned',
    );
    const again = parseClientMessage(JSON.stringify(message));
    check(again.ok && isDeepStrictEqual(again.message, message), 'a written message has another content');
  },
};
