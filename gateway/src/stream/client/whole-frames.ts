import type { WebSocket } from 'ws';

/** The part of ws that splits the bytes of a client into messages. Its fields are not a public interface of ws. */
interface Receiver {
  write: (bytes: Buffer) => boolean;
  /** 0 at the start of a frame. */
  readonly _state?: number;
  readonly _bufferedBytes?: number;
  /** Opcode of the message whose fragments have started to arrive, or 0. */
  readonly _fragmented?: number;
  /** Opcode of the last frame. */
  readonly _opcode?: number;
  readonly _errored?: boolean;
}

/** First byte of a binary message with one frame. */
const FINAL_BINARY = 0x82;
/** Second byte of a masked frame whose length is in the next two bytes. */
const MASKED_LENGTH_16 = 0xfe;
const MIN_LENGTH_16 = 126;
const CLOSE_OPCODE = 8;
/** Two bytes, the length and the mask. */
const HEADER_BYTES = 8;
const WORD_BYTES = 4;

/**
 * Reads the most frequent input of a client without the receiver of ws: binary messages in one piece. The receiver
 * passes each read through a writable stream and unmasks it byte by byte. All other input, such as a message in several
 * pieces, still goes through the receiver. So does everything if ws changes the fields used here.
 */
export function readWholeFrames(socket: WebSocket): void {
  const { _receiver: receiver } = socket as unknown as { readonly _receiver: Receiver };
  const write = receiver.write.bind(receiver);
  receiver.write = (bytes) => {
    let at = 0;
    if (isAtStart(receiver)) {
      for (let end = endOfFrame(bytes, at); end !== undefined; end = endOfFrame(bytes, at)) {
        unmask(bytes, at, end);
        socket.emit('message', bytes.subarray(at + HEADER_BYTES, end), true);
        at = end;
      }
    }
    return at === bytes.length || write(at === 0 ? bytes : bytes.subarray(at));
  };
}

function isAtStart(receiver: Receiver): boolean {
  return (
    receiver._state === 0 &&
    receiver._bufferedBytes === 0 &&
    receiver._fragmented === 0 &&
    receiver._errored === false &&
    // No message may follow a close.
    receiver._opcode !== CLOSE_OPCODE
  );
}

/** Returns the end of the frame at an offset. Undefined if it is not complete, or not one that is read here. */
function endOfFrame(bytes: Buffer, at: number): number | undefined {
  if (bytes[at] !== FINAL_BINARY || bytes[at + 1] !== MASKED_LENGTH_16) return undefined;
  const payloadBytes = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  const end = at + HEADER_BYTES + payloadBytes;
  const isAligned = (bytes.byteOffset + at) % WORD_BYTES === 0;
  return payloadBytes >= MIN_LENGTH_16 && end <= bytes.length && isAligned ? end : undefined;
}

/** Unmasks the payload of a frame in place, four bytes at a time. Its mask and payload start at multiples of four. */
function unmask(bytes: Buffer, start: number, end: number): void {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + start, Math.floor((end - start) / WORD_BYTES));
  const mask = words[1] ?? 0;
  for (let i = 2; i < words.length; i++) words[i] = (words[i] ?? 0) ^ mask;
  const maskAt = start + HEADER_BYTES - WORD_BYTES;
  for (let i = words.length * WORD_BYTES; i < end - start; i++) {
    bytes[start + i] = (bytes[start + i] ?? 0) ^ (bytes[maskAt + (i % WORD_BYTES)] ?? 0);
  }
}
