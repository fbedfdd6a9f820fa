import type { AsrSession } from '@svc-asr/core';
import { SvcAsrUnreachable } from '../error.ts';
import { reasonOf } from '../exchange.ts';
import { watchHandshake } from './handshake.ts';
import type { SocketEvent, StreamSocket, WebSocketConstructor } from './socket.ts';

/** Callbacks of a connection. */
export interface ConnectionListener {
  opened: () => void;
  /** Called for each message from the service. Also called for each ping if the socket is from the package `ws`. */
  alive: () => void;
  received: (data: unknown) => void;
  /** Called once, after all other callbacks. `error` is the reason if the connection never opened. */
  ended: (code: number, reason: string, error?: Error) => void;
}

export interface Connection {
  readonly bufferedBytes: () => number;
  /** True if the socket reports pings, so that a missing ping means that the service is unreachable. */
  readonly reportsPings: boolean;
  send: (data: string | Uint8Array<ArrayBuffer>) => void;
  /** Sends all pending data and then a close frame. The service replies with another close frame. */
  close: () => void;
  /** Ends the connection at once. */
  abandon: () => void;
}

/** Opens the WebSocket of a session. */
export function connect(
  WebSocket: WebSocketConstructor,
  session: Pick<AsrSession, 'websocket_url' | 'websocket_protocols'>,
  listener: ConnectionListener,
  timeoutMs: number,
): Connection {
  const { host } = new URL(session.websocket_url);
  const socket = new WebSocket(session.websocket_url, [...session.websocket_protocols]);
  socket.binaryType = 'arraybuffer';
  let state: 'connecting' | 'open' | 'ended' = 'connecting';
  let cause: unknown;

  function end(code: number, reason: string, error?: Error): void {
    if (state === 'ended') return;
    state = 'ended';
    clearTimeout(timer);
    listener.ended(code, reason, error);
  }

  const timer = setTimeout(() => {
    end(1006, '', new SvcAsrUnreachable(`could not reach ${host}: no answer within ${timeoutMs} ms`));
    abandon(socket);
  }, timeoutMs);

  const reportsPings = watchHandshake(socket, {
    refused: (error) => end(1006, '', error),
    pinged: listener.alive,
  });
  socket.addEventListener('open', () => {
    if (state === 'ended') return;
    state = 'open';
    clearTimeout(timer);
    listener.opened();
  });
  socket.addEventListener('message', ({ data }) => {
    if (state !== 'open') return;
    listener.alive();
    listener.received(data);
  });
  socket.addEventListener('error', ({ error }) => (cause = error));
  socket.addEventListener('close', ({ code = 1006, reason = '' }: SocketEvent) => {
    if (state === 'open') end(code, reason);
    else end(1006, '', unreachable(host, cause));
  });

  return {
    bufferedBytes: () => socket.bufferedAmount,
    reportsPings,
    send: (data) => socket.send(data),
    close: () => socket.close(1000),
    abandon: () => abandon(socket),
  };
}

function unreachable(host: string, cause: unknown): SvcAsrUnreachable {
  const reason =
    cause === undefined ? 'it refused or cannot be reached (browsers do not report which)' : reasonOf(cause);
  return new SvcAsrUnreachable(`could not open the stream at ${host}: ${reason}`, { cause });
}

/**
 * Ends a connection at once if its socket is of the package `ws`. Other sockets have no method for this, so they are
 * closed normally.
 */
function abandon(socket: StreamSocket & { terminate?: () => void }): void {
  if (socket.terminate === undefined) socket.close(1000);
  else socket.terminate();
}
