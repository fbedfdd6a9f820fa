import { SESSION_CREDENTIAL_PREFIX, STREAM_SUBPROTOCOL } from '../../stream/limits.ts';
import type { PathItem } from '../document.ts';
import { EXAMPLE_SESSION_ID } from '../examples.ts';
import { headersOf } from '../headers.ts';
import { errorResponses } from '../responses.ts';

/** GET /v1/asr/sessions/{id}/stream: the HTTP half of the WebSocket; what follows is in the AsyncAPI document. */
export function streamHandshakePath(): PathItem {
  return {
    get: {
      operationId: 'openStream',
      tags: ['Stream'],
      summary: 'Open the stream',
      description: `The WebSocket handshake. Do not build it by hand: open \`websocket_url\` with \`websocket_protocols\` of the session and any WebSocket library does the rest. The messages that follow are described in /asyncapi.json.

Only a handshake that is answered 101 uses the credential up. A browser does not show why a handshake was refused: it reports close code 1006 before \`open\`. Create a new session then.`,
      security: [],
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The session.',
          schema: { type: 'string', format: 'uuid' },
          example: EXAMPLE_SESSION_ID,
        },
        {
          name: 'Sec-WebSocket-Protocol',
          in: 'header',
          required: true,
          description: `Both values of \`websocket_protocols\`, in their order. The server answers with \`${STREAM_SUBPROTOCOL}\` alone.`,
          schema: { type: 'string' },
          example: `${STREAM_SUBPROTOCOL}, ${SESSION_CREDENTIAL_PREFIX}EXAMPLE-one-use-credential`,
        },
      ],
      responses: {
        101: { description: 'The connection is a WebSocket from here on.', headers: headersOf('X-Request-Id') },
        ...errorResponses([
          ...(['invalid_parameters', 'invalid_session_credential', 'account_inactive', 'service_unavailable'] as const),
        ]),
      },
    },
  };
}
