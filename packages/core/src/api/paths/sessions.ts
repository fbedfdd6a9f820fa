import type { ErrorCode } from '../../errors.ts';
import type { Parameter, PathItem } from '../document.ts';
import { EXAMPLE_CREATE, exampleSession } from '../examples.ts';
import { sessionsSamples } from '../guides/samples.ts';
import type { HeaderName } from '../headers.ts';
import { refTo } from '../json-schema.ts';
import { errorResponses, jsonResponse } from '../responses.ts';

const CODES: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_parameters',
  'invalid_idempotency_key',
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'revoked_api_key',
  'insufficient_credits',
  'account_inactive',
  'model_scope_denied',
  'model_not_found',
  'idempotency_conflict',
  'request_too_large',
  'unsupported_media_type',
  'concurrency_limit_exceeded',
  'rate_limit_exceeded',
  'service_unavailable',
  'no_capacity',
];

const RATE_HEADERS: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy'];

const DESCRIPTION = `Reserves audio credit and returns where and how to stream. Call it from a trusted server and relay the answer to the client that will stream; the credential in it works once and for 60 seconds.

\`max_audio_seconds\` is an upper bound. Where less credit is left (but at least one second), the reservation is what is left: read \`audio.max_audio_seconds\` or \`credits.reserved\` in the answer.

A request is checked in this order, and the first check that fails answers:

1. API key: 401
2. Account active: 403 \`account_inactive\`
3. Request rate: 429 \`rate_limit_exceeded\`
4. Content type: 415
5. Body size: 413
6. JSON: 400 \`invalid_json\`
7. Parameters and Idempotency-Key: 400 \`invalid_parameters\`, \`invalid_idempotency_key\`
8. An Idempotency-Key that was used: 201 with the same session, or 409 for another body
9. Model exists: 404; account may use it: 403 \`model_scope_denied\`
10. Session rate and concurrency: 429
11. Credit: 402
12. Capacity: 503 \`no_capacity\`

A refused request leaves nothing reserved.`;

const PARAMETERS: Parameter[] = [
  {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes the request safe to repeat: the same key and body return the same session until it expires. Use a new UUID for each session.',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' },
    example: '5f0c8f9e-3c3b-4f6e-9a55-2d1a7c0b4e11',
  },
];

/** POST /v1/asr/sessions */
export function sessionsPath(publicUrl: string): PathItem {
  return {
    post: {
      operationId: 'createSession',
      tags: ['Sessions'],
      summary: 'Create a session',
      description: DESCRIPTION,
      security: [{ apiKey: [] }],
      parameters: PARAMETERS,
      requestBody: {
        required: true,
        description: 'At most 16 KiB of JSON. No other fields are allowed.',
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
          'The session was reserved, or this Idempotency-Key reserved it before.',
          'AsrSession',
          { summary: 'A reserved session', value: exampleSession(publicUrl) },
          ['Cache-Control', ...RATE_HEADERS],
        ),
        // What is refused before the request is counted has no rate to tell.
        ...errorResponses(CODES, (status) => (status === 401 ? ['WWW-Authenticate'] : RATE_HEADERS)),
      },
      'x-codeSamples': sessionsSamples(publicUrl),
    },
  };
}
