import type { Duplex } from 'node:stream';
import { readIntoSharedMemory } from '@svc-asr/runtime';
import type { WebSocket } from 'ws';

/**
 * The object of ws that splits the bytes of a client into messages. Its fields are not part of the public API of ws.
 */
interface Receiver {
  write: (bytes: Buffer) => boolean;
  /** 0 if the next byte is the start of a frame. */
  readonly _state?: number;
  readonly _bufferedBytes?: number;
  /** Opcode of the message whose first fragments have arrived. 0 if there is none. */
  readonly _fragmented?: number;
  /** Opcode of the last frame. */
  readonly _opcode?: number;
  readonly _errored?: boolean;
}

/** Private fields of a WebSocket. */
interface Internals {
  readonly _receiver: Receiver;
  readonly _socket: Duplex;
}

/** First byte of a binary message that consists of one frame. */
const FINAL_BINARY = 0x82;
/** Second byte of a masked frame whose length is in the next two bytes. */
const MASKED_LENGTH_16 = 0xfe;
const MIN_LENGTH_16 = 126;
const CLOSE_OPCODE = 8;
/** Size of the header: two bytes, two bytes of length, and four bytes of mask. */
const HEADER_BYTES = 8;
const WORD_BYTES = 4;

/**
 * Handles the most frequent input of a client without the receiver of ws: binary messages of 126 to 65,535 bytes that
 * arrive in one piece. The receiver would pass each piece through a writable stream and unmask it byte by byte. All
 * other input, such as a message in several pieces, still goes to the receiver. If a version of ws changes the fields
 * of the receiver that are used here, all input goes to the receiver.
 *
 * For each binary message that is handled here, `onBinary` is called instead of a `message` event. It must not keep the
 * message, because the memory of the message is used again.
 */
export function readWholeFrames(socket: WebSocket, onBinary: (data: Buffer) => void): void {
  const { _receiver: receiver, _socket: connection } = socket as unknown as Internals;
  const write = receiver.write.bind(receiver);
  /** Handles the messages at the start of the bytes. Returns the number of bytes that were handled. */
  const readMessages = (bytes: Buffer): number => {
    let at = 0;
    if (isAtStart(receiver)) {
      for (let end = endOfFrame(bytes, at); end !== undefined; end = endOfFrame(bytes, at)) {
        unmask(bytes, at, end);
        onBinary(bytes.subarray(at + HEADER_BYTES, end));
        at = end;
      }
    }
    return at;
  };
  receiver.write = (bytes) => {
    const at = readMessages(bytes);
    return at === bytes.length || write(at === 0 ? bytes : bytes.subarray(at));
  };
  readIntoSharedMemory(connection, (bytes) => {
    const at = readMessages(bytes);
    // The receiver keeps bytes of incomplete messages, so it gets a copy.
    if (at < bytes.length) connection.emit('data', Buffer.from(bytes.subarray(at)));
  });
}

function isAtStart(receiver: Receiver): boolean {
  return (
    receiver._state === 0 &&
    receiver._bufferedBytes === 0 &&
    receiver._fragmented === 0 &&
    receiver._errored === false &&
    // No message may be handled after a close frame.
    receiver._opcode !== CLOSE_OPCODE
  );
}

/**
 * Returns the end of the frame that starts at an offset. Returns undefined if the frame is incomplete, or of a kind
 * that is not handled here.
 */
function endOfFrame(bytes: Buffer, at: number): number | undefined {
  if (bytes[at] !== FINAL_BINARY || bytes[at + 1] !== MASKED_LENGTH_16) return undefined;
  const payloadBytes = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  const end = at + HEADER_BYTES + payloadBytes;
  const isAligned = (bytes.byteOffset + at) % WORD_BYTES === 0;
  return payloadBytes >= MIN_LENGTH_16 && end <= bytes.length && isAligned ? end : undefined;
}

/** Unmasks the payload of a frame in place, four bytes at a time. Mask and payload must start at multiples of four. */
function unmask(bytes: Buffer, start: number, end: number): void {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + start, Math.floor((end - start) / WORD_BYTES));
  const mask = words[1] ?? 0;
  for (let i = 2; i < words.length; i++) words[i] = (words[i] ?? 0) ^ mask;
  const maskAt = start + HEADER_BYTES - WORD_BYTES;
  for (let i = words.length * WORD_BYTES; i < end - start; i++) {
    bytes[start + i] = (bytes[start + i] ?? 0) ^ (bytes[maskAt + (i % WORD_BYTES)] ?? 0);
  }
}
