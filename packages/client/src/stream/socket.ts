/** What is read of the events of a socket, whoever made it. */
export interface SocketEvent {
  readonly type: string;
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
  /** Node's `ws` says here what went wrong; browsers say nothing. */
  readonly error?: unknown;
}

/** The part of a WebSocket that is used: that of browsers, of Node and of the package `ws`. */
export interface StreamSocket {
  readonly bufferedAmount: number;
  binaryType: string;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'message' | 'error' | 'close', listener: (event: SocketEvent) => void): void;
}

/** A WebSocket class. */
export type WebSocketConstructor = new (url: string, protocols: string[]) => StreamSocket;

interface Surroundings {
  WebSocket?: WebSocketConstructor;
  process?: { versions?: { node?: string } };
}

/**
 * The WebSocket to use where none is given: in Node that of the package `ws`, which says why a handshake was refused,
 * elsewhere the global one.
 */
export async function findWebSocket(
  surroundings: Surroundings = globalThis,
  importWs: () => Promise<{ WebSocket: WebSocketConstructor }> = () => import('ws'),
): Promise<WebSocketConstructor> {
  if (surroundings.process?.versions?.node !== undefined) {
    try {
      return (await importWs()).WebSocket;
    } catch {
      // Left out of a bundle: Node 22 and newer have one of their own.
    }
  }
  if (surroundings.WebSocket === undefined) {
    throw new TypeError(
      'there is no WebSocket here: install the package "ws", or give one with the option `webSocket`',
    );
  }
  return surroundings.WebSocket;
}
