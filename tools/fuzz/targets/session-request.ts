import { checker, CreateSessionRequest, describeProblems, IDEMPOTENCY_KEY, MAX_BODY_BYTES } from '@svc-asr/core';
import { quoteValues } from '@svc-asr/core';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

const checkBody = checker(CreateSessionRequest);
/** The message may name unknown fields, so its length depends on the request. */
const MAX_MESSAGE_CHARACTERS = 2 * MAX_BODY_BYTES;

export const target: FuzzTarget = {
  property: 'The check of a session request never throws, bounds its message, and accepts only valid seconds.',
  seeds: ['{"model":"svc-asr-kikuyu-v1","max_audio_seconds":60}', '{"model":"a"}', '{"model":1,"a":1,"b":2}', '[]'],
  dictionary: ['"model":', '"max_audio_seconds":', '300', '301', '0.5', '"__proto__":{}', 'null', '[[', '"a":1,'],
  maxBytes: MAX_BODY_BYTES,
  run: (input) => {
    IDEMPOTENCY_KEY.test(input.toString('latin1'));
    let value: unknown;
    try {
      value = JSON.parse(input.toString());
    } catch {
      return;
    }
    const checked = checkBody(value);
    if (!checked.ok) {
      const message = describeProblems(quoteValues(checked.problems, value));
      check(message.length <= MAX_MESSAGE_CHARACTERS, 'the message is too long');
      return;
    }
    const { max_audio_seconds: seconds = 60 } = checked.value;
    check(Number.isInteger(seconds) && seconds >= 1 && seconds <= 300, `${seconds} seconds were accepted`);
  },
};
