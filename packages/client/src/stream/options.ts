import type { AsrSession, ConfigMessage } from '@svc-asr/core';
import { SESSION_CREDENTIAL_PREFIX, STREAM_SUBPROTOCOL } from '@svc-asr/core/stream';
import { checkAddress } from '../address.ts';
import type { WebSocketConstructor } from './socket.ts';

export interface StreamOptions {
  /** Signal that ends the stream at once. Pending calls fail with the reason of the signal. */
  signal?: AbortSignal;
  /** WebSocket class to use. Default: that of the package `ws` in Node, and the global one elsewhere. */
  webSocket?: WebSocketConstructor;
  /** Timeout of the handshake. Default 10,000. The wait for `ready` comes later, and the service limits it. */
  connectTimeoutMs?: number;
  /** `send` waits while more bytes than this are buffered. Default 262,144, which is eight seconds of audio. */
  maxBufferedBytes?: number;
  /**
   * The stream ends if no message and no ping arrives from the service for this time. Default 120,000. 0 disables the
   * check. The service sends a ping every 20 seconds by default. The check works only with `ws`, because other
   * WebSockets do not report pings.
   */
  silenceTimeoutMs?: number;
}

/** Settings of an utterance and of the utterances after it. Each absent field gets the default of the model. */
export type StreamConfig = Omit<ConfigMessage, 'type'>;

const CREDENTIAL = /^[A-Za-z0-9._~-]+$/;

/**
 * Checks a session before a WebSocket class gets it. For an invalid session, the error of a WebSocket class would quote
 * the secret. The errors thrown here do not quote it.
 */
export function checkSession(session: Pick<AsrSession, 'websocket_url' | 'websocket_protocols'>): void {
  const { websocket_url: url, websocket_protocols: protocols } = session as Partial<AsrSession>;
  const [first, second] = protocols ?? [];
  if (first !== STREAM_SUBPROTOCOL || second?.startsWith(SESSION_CREDENTIAL_PREFIX) !== true) {
    throw new TypeError('this is not a session from POST /v1/asr/sessions');
  }
  if (!CREDENTIAL.test(second)) throw new TypeError('the credential of the session contains invalid characters');
  if (url === undefined || !/^wss?:\/\//.test(url)) throw new TypeError('websocket_url must start with wss://');
  checkAddress(url.replace(/^ws/, 'http'), 'websocket_url');
}
