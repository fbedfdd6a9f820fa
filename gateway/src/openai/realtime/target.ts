import type { IncomingMessage } from 'node:http';
import { ApiError, REALTIME_PATH } from '@svc-asr/core';

/** Prefix of the subprotocol in which browsers send an API key to OpenAI. */
const KEY_PROTOCOL = 'openai-insecure-api-key.';
/** Subprotocol that some clients offer. If a client offers it, the gateway accepts it. */
export const SUBPROTOCOL = 'realtime';

const KEY_IN_PROTOCOL =
  'Send the API key as "Authorization: Bearer <API_KEY>", not as a subprotocol. Browsers use POST /v1/asr/sessions instead.';

/** Returns whether an upgrade request is for the realtime route. */
export function isRealtime({ url = '' }: IncomingMessage): boolean {
  return url === REALTIME_PATH || url.startsWith(`${REALTIME_PATH}?`);
}

/** Checks the headers and the query of a realtime handshake, before any lookup. Returns the model in its query. */
export function readTarget({ method, headers, url = '' }: IncomingMessage): { model: string | undefined } {
  const { 'sec-websocket-key': key, 'sec-websocket-version': version, upgrade } = headers;
  const isValid = method === 'GET' && upgrade?.toLowerCase() === 'websocket' && version === '13';
  if (!isValid || !/^[+/0-9A-Za-z]{22}==$/.test(String(key))) {
    throw new ApiError('invalid_parameters', { message: 'This is not a WebSocket handshake (RFC 6455, version 13).' });
  }
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (protocols.some((name) => name.startsWith(KEY_PROTOCOL))) {
    throw new ApiError('invalid_api_key', { message: KEY_IN_PROTOCOL });
  }
  const query = new URLSearchParams(url.slice(REALTIME_PATH.length));
  if (query.get('intent') !== 'transcription') {
    const message = 'Only transcription is supported. Add "intent=transcription" to the query.';
    throw new ApiError('invalid_parameters', { message });
  }
  const model = query.get('model') ?? '';
  return { model: model === '' ? undefined : model };
}
