import { SESSION_CREDENTIAL_PREFIX, STREAM_SUBPROTOCOL } from '@svc-asr/core';
import { readGuide } from '../../files.ts';
import type { PathItem } from '../document.ts';
import { headersOf } from '../headers.ts';
import { errorResponses } from '../responses.ts';
import { SESSION_ID } from './keyed.ts';

/**
 * Describes GET /v1/asr/sessions/{id}/stream, the WebSocket handshake. The AsyncAPI document describes the messages.
 */
export function streamHandshakePath(): PathItem {
  return {
    get: {
      operationId: 'openStream',
      tags: ['Stream'],
      summary: 'Open the stream',
      description: readGuide('open-stream.md'),
      security: [],
      parameters: [
        SESSION_ID,
        {
          name: 'Sec-WebSocket-Protocol',
          in: 'header',
          required: true,
          description: `Both values of \`websocket_protocols\`, in this order. The server selects \`${STREAM_SUBPROTOCOL}\`.`,
          schema: { type: 'string' },
          example: `${STREAM_SUBPROTOCOL}, ${SESSION_CREDENTIAL_PREFIX}EXAMPLE-one-use-credential`,
        },
      ],
      responses: {
        101: { description: 'The connection is now a WebSocket.', headers: headersOf('X-Request-Id') },
        ...errorResponses([
          'invalid_parameters',
          'invalid_session_credential',
          'account_inactive',
          'rate_limit_exceeded',
          'service_unavailable',
        ]),
      },
    },
  };
}
