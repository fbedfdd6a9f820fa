import { ERRORS } from '@svc-asr/core';
import type { ErrorCode } from '@svc-asr/core';
import type { Example, Response } from './document.ts';
import { EXAMPLE_REQUEST_ID } from './examples.ts';
import { headersOf } from './headers.ts';
import type { HeaderName } from './headers.ts';
import { refTo } from '../json-schema.ts';
import { REMEDIES } from './remedies.ts';

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'Malformed body, invalid parameters or audio.',
  401: 'Missing, invalid, expired or revoked credential.',
  402: 'Not enough audio credit to reserve a session.',
  403: 'The account is inactive, or may not use the model.',
  404: 'The model, the session or the path does not exist.',
  405: 'The path does not support this method.',
  409: 'The Idempotency-Key was used with a different body.',
  413: 'The body is too large.',
  415: 'The Content-Type is not supported.',
  429: 'A rate or concurrency limit was reached.',
  503: 'The service is temporarily unavailable.',
};

/** Builds the responses for a set of error codes: one for each status, with one example for each code. */
export function errorResponses(
  codes: readonly ErrorCode[],
  headers: (status: number) => readonly HeaderName[] = () => [],
): Record<string, Response> {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      errorResponse(
        status,
        codes.filter((code) => ERRORS[code].status === status),
        headers(status),
      ),
    ]),
  );
}

function errorResponse(status: number, codes: readonly ErrorCode[], headers: readonly HeaderName[]): Response {
  const retries: HeaderName[] = status === 429 || status === 503 ? ['Retry-After'] : [];
  return {
    description: MEANINGS[status] ?? `Status ${status}.`,
    headers: headersOf('X-Request-Id', 'Cache-Control', ...retries, ...headers),
    content: {
      'application/json': {
        schema: refTo('ErrorResponse'),
        examples: Object.fromEntries(codes.map((code) => [code, errorExample(code)])),
      },
    },
  };
}

function errorExample(code: ErrorCode): Example {
  const { type, message } = ERRORS[code];
  return {
    summary: code,
    description: REMEDIES[code],
    value: { error: { type, code, message, request_id: EXAMPLE_REQUEST_ID } },
  };
}

/** Builds a JSON response with one example. */
export function jsonResponse(
  description: string,
  schema: string,
  example: Example,
  headers: readonly HeaderName[],
): Response {
  return {
    description,
    headers: headersOf('X-Request-Id', ...headers),
    content: { 'application/json': { schema: refTo(schema), examples: { example } } },
  };
}
