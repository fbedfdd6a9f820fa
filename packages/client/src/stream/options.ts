import type { AsrSession, ConfigMessage } from '@svc-asr/core';
import { SESSION_CREDENTIAL_PREFIX, STREAM_SUBPROTOCOL } from '@svc-asr/core/stream';
import { checkAddress } from '../address.ts';
import type { WebSocketConstructor } from './socket.ts';

export interface StreamOptions {
  /** Ends the stream at once; whoever waits gets its reason. */
  signal?: AbortSignal;
  /** Another WebSocket than that of the browser or, in Node, of the package `ws`. */
  webSocket?: WebSocketConstructor;
  /** How long the handshake may take. Default 10,000. Waiting for `ready` is up to the service. */
  connectTimeoutMs?: number;
  /** `send` waits while more than this is on its way. Default 262,144: eight seconds of audio. */
  maxBufferedBytes?: number;
  /**
   * Without any sign of life for so long the service is taken for gone; it pings every 20 seconds. 0: never.
   * Default 120,000. Only with `ws`: other WebSockets do not tell of pings.
   */
  silenceTimeoutMs?: number;
}

/** What `config` chooses; what is absent is the model's default. */
export type StreamConfig = Omit<ConfigMessage, 'type'>;

const CREDENTIAL = /^[A-Za-z0-9._~-]+$/;

/** Refuses a session that cannot be one, without quoting it: a WebSocket's own message would quote the secret. */
export function checkSession(session: Pick<AsrSession, 'websocket_url' | 'websocket_protocols'>): void {
  const { websocket_url: url, websocket_protocols: protocols } = session as Partial<AsrSession>;
  const [first, second] = protocols ?? [];
  if (first !== STREAM_SUBPROTOCOL || second?.startsWith(SESSION_CREDENTIAL_PREFIX) !== true) {
    throw new TypeError('this is not a session as POST /v1/asr/sessions returns it');
  }
  if (!CREDENTIAL.test(second)) throw new TypeError('the credential of the session has characters no credential has');
  if (url === undefined || !/^wss?:\/\//.test(url)) throw new TypeError('websocket_url must begin with wss://');
  checkAddress(url.replace(/^ws/, 'http'), 'websocket_url');
}
