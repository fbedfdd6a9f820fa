import type { AsrSession } from '@svc-asr/core';
import { SvcAsrUnreachable } from '../error.ts';
import { reasonOf } from '../exchange.ts';
import { watchHandshake } from './handshake.ts';
import type { SocketEvent, StreamSocket, WebSocketConstructor } from './socket.ts';

/** What a connection tells. */
export interface ConnectionListener {
  opened: () => void;
  /** Any sign of life; only those of Node's `ws` come without a message. */
  heard: () => void;
  received: (data: unknown) => void;
  /** Comes once, last. `error`: the connection was never made, and why. */
  ended: (code: number, reason: string, error?: Error) => void;
}

export interface Connection {
  readonly bufferedBytes: () => number;
  /** True where pings are heard, so that silence means that the service is gone. */
  readonly hearsPings: boolean;
  send: (data: string | Uint8Array<ArrayBuffer>) => void;
  /** Closes in order: what was sent goes out, and the service answers. */
  close: () => void;
  /** Ends it at once. */
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

  const hearsPings = watchHandshake(socket, {
    refused: (error) => end(1006, '', error),
    pinged: listener.heard,
  });
  socket.addEventListener('open', () => {
    if (state === 'ended') return;
    state = 'open';
    clearTimeout(timer);
    listener.opened();
  });
  socket.addEventListener('message', ({ data }) => {
    if (state !== 'open') return;
    listener.heard();
    listener.received(data);
  });
  socket.addEventListener('error', ({ error }) => (cause = error));
  socket.addEventListener('close', ({ code = 1006, reason = '' }: SocketEvent) => {
    if (state === 'open') end(code, reason);
    else end(1006, '', unreachable(host, cause));
  });

  return {
    bufferedBytes: () => socket.bufferedAmount,
    hearsPings,
    send: (data) => socket.send(data),
    close: () => socket.close(1000),
    abandon: () => abandon(socket),
  };
}

function unreachable(host: string, cause: unknown): SvcAsrUnreachable {
  const reason = cause === undefined ? 'refused or not there; browsers do not say which' : reasonOf(cause);
  return new SvcAsrUnreachable(`could not open the stream at ${host}: ${reason}`, { cause });
}

/** `ws` can end at once; the others close in order, which is cut short by nobody listening any more. */
function abandon(socket: StreamSocket & { terminate?: () => void }): void {
  if (socket.terminate === undefined) socket.close(1000);
  else socket.terminate();
}
