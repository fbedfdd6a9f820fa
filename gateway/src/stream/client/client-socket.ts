import { WebSocket } from 'ws';

/**
 * ws closes a connection whose frames break its rules by itself. Here it emits `broken` with the code that it would
 * close with instead, so that an `error` event can go before the close.
 */
export class ClientSocket extends WebSocket {
  override close(code?: number, data?: string | Buffer): void {
    // A close that was asked for has a reason, the answer to the client's close a reason or no code.
    if (code !== undefined && data === undefined) this.emit('broken', code);
    else super.close(code, data);
  }
}
