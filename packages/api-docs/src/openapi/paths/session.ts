import { END_REASONS } from '@svc-asr/core';
import type { Operation, PathItem } from '../document.ts';
import { EXAMPLE_SESSION_DETAIL } from '../examples.ts';
import { headersOf } from '../headers.ts';
import { jsonResponse } from '../responses.ts';
import { keyedErrors, RATE_HEADERS, SESSION_ID } from './keyed.ts';

/** Describes GET and DELETE /v1/asr/sessions/{id}. */
export function sessionPathItem(): PathItem {
  const reasons = Object.entries(END_REASONS).map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`);
  return {
    get: {
      ...common(),
      operationId: 'getSession',
      summary: 'Get a session',
      description: [
        'Returns a session of the account. At least the 100 newest sessions can be read, for 30 days.',
        'A stream that has closed is `active` until it is settled, which takes a moment.',
        '',
        '| `end_reason` | meaning |',
        '|---|---|',
        ...reasons,
      ].join('\n'),
      responses: {
        200: jsonResponse(
          'The session.',
          'SessionDetail',
          { summary: 'A completed session', value: EXAMPLE_SESSION_DETAIL },
          ['Cache-Control', ...RATE_HEADERS],
        ),
        ...refusals(),
      },
    },
    delete: {
      ...common(),
      operationId: 'cancelSession',
      summary: 'Cancel a session',
      description:
        'Frees the credit and the place of a session. A reserved session becomes `expired` at once. The stream of an active one is closed within 2 seconds, with close code 1000, reason `cancelled` and no `final`. Its accepted audio is charged. The `Idempotency-Key` of the session may create a new one afterwards. A repeated request returns 204 too.',
      responses: {
        204: {
          description: 'The session was cancelled or had ended.',
          headers: headersOf('X-Request-Id', 'Cache-Control', ...RATE_HEADERS),
        },
        ...refusals(),
      },
    },
  };
}

function common(): Pick<Operation, 'tags' | 'security' | 'parameters'> {
  return { tags: ['Sessions'], security: [{ apiKey: [] }], parameters: [SESSION_ID] };
}

function refusals(): Operation['responses'] {
  const keys = ['missing_api_key', 'invalid_api_key', 'expired_api_key', 'revoked_api_key'] as const;
  const others = ['session_not_found', 'rate_limit_exceeded', 'service_unavailable'] as const;
  const codes = [...keys, 'account_inactive', 'key_scope_denied', ...others] as const;
  return keyedErrors(codes);
}
