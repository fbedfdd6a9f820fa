import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** First byte of a text message that consists of one frame. */
const FINAL_TEXT = 0x81;
/**
 * Second byte of a frame whose length is in the next two bytes. 126 is also the smallest length that needs these bytes.
 */
const LENGTH_16 = 126;
const MAX_LENGTH_16 = 65_535;

/**
 * Sends a text message. The WebSocket must be open, and must not compress messages. A message of up to 65,535 bytes is
 * written in one piece. The package ws would build an options object, and would write header and text separately. That
 * took about 5 % of the CPU time of a busy gateway.
 */
export function writeText(socket: WebSocket, text: string): void {
  const length = Buffer.byteLength(text);
  if (length > MAX_LENGTH_16) {
    socket.send(text);
    return;
  }
  const headerBytes = length < LENGTH_16 ? 2 : 4;
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame[0] = FINAL_TEXT;
  if (headerBytes === 2) frame[1] = length;
  else {
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(length, 2);
  }
  frame.write(text, headerBytes);
  const { _socket: connection } = socket as unknown as { readonly _socket: Duplex };
  connection.write(frame);
}
