import { readGuide } from '../../files.ts';
import type { PathItem } from '../document.ts';
import { headersOf } from '../headers.ts';
import { errorResponses } from '../responses.ts';

/** Describes GET /v1/realtime, the handshake of a realtime transcription. The events are those of OpenAI. */
export function realtimePath(): PathItem {
  return {
    get: {
      operationId: 'openRealtime',
      tags: ['Realtime'],
      summary: 'Open a realtime transcription',
      description: readGuide('realtime.md'),
      security: [{ apiKey: [] }],
      parameters: [
        {
          name: 'intent',
          in: 'query',
          required: true,
          description: 'Only transcription is supported.',
          schema: { type: 'string', enum: ['transcription'] },
          example: 'transcription',
        },
        {
          name: 'model',
          in: 'query',
          required: false,
          description: 'Id of a model that GET /v1/models lists. Without it, `session.update` selects the model.',
          schema: { type: 'string' },
          example: 'svc-asr-kikuyu-v1',
        },
      ],
      responses: {
        101: { description: 'The connection is now a WebSocket.', headers: headersOf('X-Request-Id') },
        ...errorResponses([
          'invalid_parameters',
          'missing_api_key',
          'invalid_api_key',
          'expired_api_key',
          'revoked_api_key',
          'account_inactive',
          'key_scope_denied',
          'model_scope_denied',
          'model_not_found',
          'rate_limit_exceeded',
          'service_unavailable',
        ]),
      },
    },
  };
}
