import { CLOSE_CODES } from '@svc-asr/core';
import { SvcAsrError, SvcAsrUnreachable } from '../error.ts';
import { adviceAfterClose, adviceAfterRefusal } from './advice.ts';

test.each(Object.entries(CLOSE_CODES))(
  'adviceAfterClose of the close code %s returns the entry of CLOSE_CODES',
  (code, entry) => {
    expect(adviceAfterClose(Number(code), '')).toEqual(entry);
  },
);

test('adviceAfterClose returns the meaning of a known close reason instead of the meaning of code 1000', () => {
  expect(adviceAfterClose(1000, 'audio_limit_reached').meaning).toContain('used up');
  expect(adviceAfterClose(1000, 'toString').meaning).toBe(CLOSE_CODES[1000].meaning);
  expect(adviceAfterClose(1011, 'audio_limit_reached').meaning).toBe(CLOSE_CODES[1011].meaning);
});

test.each([1005, 1006, 1012, 4999])(
  'adviceAfterClose of %i advises a new session and leaves the charge undefined',
  (code) => {
    expect(adviceAfterClose(code, '')).toMatchObject({ retry: 'new-session', charged: undefined });
  },
);

const refusal = (status: number, code: string) =>
  new SvcAsrError('No.', { status, type: 't', code, requestId: undefined, retryAfterS: undefined });

test.each([
  [refusal(401, 'invalid_session_credential'), 'new-session'],
  [refusal(401, 'invalid_api_key'), 'never'],
  [refusal(402, 'insufficient_credits'), 'never'],
  [refusal(403, 'account_inactive'), 'never'],
  [refusal(429, 'concurrency_limit_exceeded'), 'after-wait'],
  [refusal(503, 'no_capacity'), 'after-wait'],
  [refusal(502, 'unexpected_response'), 'after-wait'],
  [new SvcAsrUnreachable('unavailable'), 'after-wait'],
])('adviceAfterRefusal of %s advises %s', (error, retry) => {
  expect(adviceAfterRefusal(error)).toMatchObject({ retry, charged: false, meaning: error.message });
});
