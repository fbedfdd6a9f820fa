import fc from 'fast-check';
import { CLOSE_CODES, isCloseCode, retryAdvice } from './close.ts';
import { STREAM_ERRORS, streamError } from './errors.ts';
import type { StreamErrorCode } from './errors.ts';

const codes = Object.keys(STREAM_ERRORS) as StreamErrorCode[];

test.each(['invalid_message', 'rate_limited'] as const)(
  'streamError is fatal for the tenth %s of a stream, and not for the first nine',
  (code) => {
    const outcomes = Array.from({ length: 10 }, (_, earlier) => streamError(code, earlier));
    expect(outcomes.map(({ close }) => close)).toEqual([...Array<undefined>(9).fill(undefined), 4400]);
    expect(outcomes.map(({ event }) => event.fatal)).toEqual([...Array<boolean>(9).fill(false), true]);
  },
);

test('streamError marks an event as fatal exactly if it returns a close code, after any number of earlier errors', () => {
  fc.assert(
    fc.property(fc.constantFrom(...codes), fc.nat(40), (code, earlier) => {
      const outcome = streamError(code, earlier);
      expect(outcome.event).toMatchObject({ type: 'error', code, fatal: outcome.close !== undefined });
    }),
  );
});

test.each([
  ['audio_before_ready', 4400],
  ['invalid_audio_frame', undefined],
  ['frame_too_large', 1009],
  ['invalid_config', undefined],
  ['config_not_allowed', undefined],
  ['idle_timeout', 4408],
  ['account_suspended', 4403],
  ['no_capacity', 4503],
  ['internal_error', 1011],
] as const)(
  'streamError for the tenth %s of a stream returns close code %s (undefined: the stream stays open)',
  (code, close) => {
    expect(streamError(code, 9).close).toBe(close);
  },
);

test('streamError uses the given message instead of the default message', () => {
  expect(streamError('invalid_config', 0, 'language: must be ki.').event.message).toBe('language: must be ki.');
});

test('a stream is not charged if it ends with the close code 1001, 1011 or 4503, which mean a fault of the service', () => {
  const uncharged = Object.entries(CLOSE_CODES).filter(([, { charged }]) => !charged);
  expect(uncharged.map(([code]) => Number(code))).toEqual([1001, 1011, 4503]);
});

test.each([
  [1000, 'never'],
  [1001, 'new-session'],
  [1006, 'new-session'],
  [1009, 'never'],
  [1011, 'new-session'],
  [4400, 'never'],
  [4403, 'never'],
  [4408, 'new-session'],
  [4503, 'after-wait'],
])('retryAdvice after close code %i is %s', (code, advice) => {
  expect(retryAdvice(code)).toBe(advice);
  expect(isCloseCode(code)).toBe(code !== 1006);
});
