/** The part of socket events that the client reads. */
export interface SocketEvent {
  readonly type: string;
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
  /** The cause of an error. Only `ws` reports it; browsers do not. */
  readonly error?: unknown;
}

/** The part of a WebSocket that the client uses. Browsers, Node and the package `ws` provide it. */
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
 * Returns the default WebSocket class. In Node, it is the class of the package `ws`, which reports why a handshake was
 * refused. Elsewhere, it is the global class.
 */
export async function findWebSocket(
  surroundings: Surroundings = globalThis,
  importWs: () => Promise<{ WebSocket: WebSocketConstructor }> = () => import('ws'),
): Promise<WebSocketConstructor> {
  if (surroundings.process?.versions?.node !== undefined) {
    try {
      return (await importWs()).WebSocket;
    } catch {
      // `ws` is not part of the bundle. Node 22 and newer have a global WebSocket.
    }
  }
  if (surroundings.WebSocket === undefined) {
    throw new TypeError(
      'no WebSocket class was found: install the package "ws", or pass a class in the option `webSocket`',
    );
  }
  return surroundings.WebSocket;
}
