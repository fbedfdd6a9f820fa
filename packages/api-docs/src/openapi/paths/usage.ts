import { GET_USAGE_SAMPLES } from '../../samples.ts';
import type { PathItem } from '../document.ts';
import { EXAMPLE_BALANCE } from '../examples.ts';
import type { HeaderName } from '../headers.ts';
import { errorResponses, jsonResponse } from '../responses.ts';

const RATE_HEADERS: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy'];

/** GET /v1/usage */
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
        ...errorResponses(
          [
            'missing_api_key',
            'invalid_api_key',
            'expired_api_key',
            'revoked_api_key',
            'account_inactive',
            'key_scope_denied',
            'rate_limit_exceeded',
            'service_unavailable',
          ],
          (status) => (status === 401 ? ['WWW-Authenticate'] : RATE_HEADERS),
        ),
      },
      'x-codeSamples': GET_USAGE_SAMPLES,
    },
  };
}
