import { buildOpenApi } from '@svc-asr/api-docs';
import type { Answer } from './answer.ts';
import { createCheck } from './described.ts';

const ID = '0198f2c4-6d1e-7a52-9c0b-3f5d2e8a1b47';
const check = createCheck(buildOpenApi());

function answer(status: number, body: unknown, headers: Record<string, string | undefined> = {}): Answer {
  const usual = { 'x-request-id': ID, 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...usual, ...headers }, text: JSON.stringify(body), body };
}

const error = (code: string, requestId = ID) => ({
  error: { type: 'rate_limit_error', code, message: 'Too many.', request_id: requestId },
});
const balance = {
  object: 'credit_balance',
  unit: 'audio_millisecond',
  available_ms: 1,
  reserved_ms: 0,
  consumed_ms: 0,
  recent_sessions: [],
};

test('createCheck accepts a response that conforms to the OpenAPI description', () => {
  check('GET', '/v1/usage', answer(200, balance));
  check('GET', '/v1/usage', answer(429, error('rate_limit_exceeded'), { 'retry-after': '3' }));
  check('HEAD', '/v1/usage', { ...answer(200, undefined), text: '' });
});

test.each([
  ['an undocumented status', answer(418, error('teapot')), 'does not describe this response'],
  ['a 404 of an existing path', answer(404, error('not_found')), 'does not describe this response'],
  ['a missing X-Request-Id', answer(200, balance, { 'x-request-id': undefined }), 'X-Request-Id is missing'],
  ['an X-Request-Id that is not a UUID', answer(200, balance, { 'x-request-id': '7' }), 'X-Request-Id'],
  ['a missing Retry-After', answer(429, error('rate_limit_exceeded')), 'Retry-After is missing'],
  ['a fractional Retry-After', answer(429, error('x'), { 'retry-after': '1.5' }), 'Retry-After'],
  ['another media type', answer(200, balance, { 'content-type': 'text/plain' }), 'is not application/json'],
  ['a missing field', answer(200, { ...balance, unit: undefined }), 'unit'],
  ['a field of a wrong type', answer(200, { ...balance, available_ms: '1' }), '/available_ms must be integer'],
  ['an additional field', answer(200, { ...balance, more: 1 }), 'additional properties'],
  [
    'a request id in the body that differs from the header',
    answer(429, error('x', ID.replace('0', '1')), { 'retry-after': '3' }),
    'request_id',
  ],
])('createCheck rejects a response with %s', (_what, given, problem) => {
  expect(() => check('GET', '/v1/usage', given)).toThrow(problem);
});
