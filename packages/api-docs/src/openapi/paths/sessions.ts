import type { ErrorCode } from '@svc-asr/core';
import { readGuide } from '../../files.ts';
import { CREATE_SESSION_SAMPLES } from '../../samples.ts';
import type { Parameter, PathItem } from '../document.ts';
import { EXAMPLE_CREATE, EXAMPLE_SESSION } from '../examples.ts';
import { refTo } from '../../json-schema.ts';
import { jsonResponse } from '../responses.ts';
import { ADMISSION_CODES, CAPACITY_CODES, keyedErrors, RATE_HEADERS } from './keyed.ts';

const CODES: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_parameters',
  'invalid_idempotency_key',
  ...ADMISSION_CODES,
  'idempotency_conflict',
  ...CAPACITY_CODES,
];

const PARAMETERS: Parameter[] = [
  {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes the request safe to repeat. The same key with the same body returns the same session until it expires. Use a new UUID for each session.',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' },
    example: '5f0c8f9e-3c3b-4f6e-9a55-2d1a7c0b4e11',
  },
];

/** Describes POST /v1/asr/sessions. */
export function sessionsPath(): PathItem {
  return {
    post: {
      operationId: 'createSession',
      tags: ['Sessions'],
      summary: 'Create a session',
      description: readGuide('create-session.md'),
      security: [{ apiKey: [] }],
      parameters: PARAMETERS,
      requestBody: {
        required: true,
        description: 'A JSON object of at most 16 KiB. Unknown fields are refused.',
        content: {
          'application/json': {
            schema: refTo('CreateSessionRequest'),
            examples: {
              defaults: { summary: 'Defaults: up to 60 seconds', value: { model: EXAMPLE_CREATE.model } },
              limit: { summary: 'Up to two minutes', value: EXAMPLE_CREATE },
            },
          },
        },
      },
      responses: {
        201: jsonResponse(
          'The session is reserved, now or by an earlier request with this Idempotency-Key.',
          'AsrSession',
          { summary: 'A reserved session', value: EXAMPLE_SESSION },
          ['Cache-Control', ...RATE_HEADERS],
        ),
        ...keyedErrors(CODES),
      },
      'x-codeSamples': CREATE_SESSION_SAMPLES,
    },
  };
}
