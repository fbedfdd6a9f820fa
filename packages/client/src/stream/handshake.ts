import { refusalOf } from '../error.ts';
import type { SvcAsrError } from '../error.ts';
import type { StreamSocket } from './socket.ts';

/** Members that only the WebSocket class of the package `ws` has. */
interface WsSocket {
  on(event: 'ping', listener: () => void): unknown;
  on(event: 'unexpected-response', listener: (request: unknown, response: HandshakeAnswer) => void): unknown;
  terminate: () => void;
}

interface HandshakeAnswer extends AsyncIterable<Uint8Array> {
  statusCode?: number;
  headers: Record<string, string | string[] | undefined>;
}

export interface HandshakeListener {
  refused: (error: SvcAsrError) => void;
  pinged: () => void;
}

const MAX_BODY_BYTES = 16_384;

/** Listens to events that only `ws` emits: refused handshakes and pings. Returns false for other sockets. */
export function watchHandshake(socket: StreamSocket, { refused, pinged }: HandshakeListener): boolean {
  if (!isWs(socket)) return false;
  socket.on('ping', pinged);
  socket.on('unexpected-response', (_request, response) => {
    void readBody(response).then((text) => {
      const header = (name: string) => [response.headers[name] ?? null].flat()[0] ?? null;
      refused(refusalOf({ status: response.statusCode ?? 0, header, text }));
      socket.terminate();
    });
  });
  return true;
}

async function readBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) break;
    }
  } catch {
    // If the body cannot be read completely, the status is enough to build the error.
  }
  return text;
}

function isWs(socket: object): socket is WsSocket {
  return 'on' in socket && typeof socket.on === 'function' && 'terminate' in socket;
}
