import { GET_USAGE_SAMPLES } from '../../samples.ts';
import type { PathItem } from '../document.ts';
import { EXAMPLE_BALANCE } from '../examples.ts';
import { jsonResponse } from '../responses.ts';
import { keyedErrors, RATE_HEADERS } from './keyed.ts';

/** Describes GET /v1/usage. */
export function usagePath(): PathItem {
  return {
    get: {
      operationId: 'getUsage',
      tags: ['Usage'],
      summary: 'Get credit and usage',
      description:
        'Returns the credit of the account and its 20 newest sessions. The sum of `available_ms`, `reserved_ms` and `consumed_ms` always equals the credit that was granted. `audio_ms` is the accepted audio and `billable_ms` the audio that was charged.',
      security: [{ apiKey: [] }],
      responses: {
        200: jsonResponse(
          'The credit and the newest sessions.',
          'CreditBalance',
          { summary: 'One session reserved, one completed', value: EXAMPLE_BALANCE },
          ['Cache-Control', ...RATE_HEADERS],
        ),
        ...keyedErrors([
          'missing_api_key',
          'invalid_api_key',
          'expired_api_key',
          'revoked_api_key',
          'account_inactive',
          'key_scope_denied',
          'rate_limit_exceeded',
          'service_unavailable',
        ]),
      },
      'x-codeSamples': GET_USAGE_SAMPLES,
    },
  };
}
