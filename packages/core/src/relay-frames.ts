/**
 * Frames between gateways and workers. One connection carries all streams of a gateway to a worker. It starts as an
 * HTTP/1.1 request for RELAY_CONNECTION_PATH with `Upgrade: svc-asr-relay`, and continues with frames in both
 * directions.
 *
 * A frame is a header of 12 bytes and a payload. The header holds the stream id (32 bits), the type (8 bits), the
 * length of the payload (24 bits) and a position (32 bits), all big-endian. The meaning of the position depends on the
 * type.
 *
 * The gateway chooses the ids of streams in increasing order, and never uses an id twice on the same connection. A
 * frame with the id of an ended stream is therefore a late frame of that stream. The receiver ignores it.
 */
export const RELAY_CONNECTION_PATH = '/v2/streams';

/** Protocol name in the `Upgrade` header. */
export const RELAY_UPGRADE = 'svc-asr-relay';

/** Stream id of frames that concern the whole connection instead of one stream. */
export const CONNECTION_ID = 0;

/** Largest stream id. A gateway that needs a greater one opens another connection. */
export const MAX_STREAM_ID = 0xffff_ffff;

export const FRAME_HEADER_BYTES = 12;

/** Types of frames. */
export const FRAME = {
  /**
   * JSON message that relay.ts defines. In a request, the position is the number of samples sent before the request.
   */
  message: 1,
  /** PCM16LE audio of a stream. The position is the index of the first sample, counted from the start of the stream. */
  audio: 2,
  /** A `delta` answer without `speech_start`. The position is its `audio_end`, and the payload is its text. */
  delta: 3,
  /**
   * Sent by a worker. The engine no longer needs samples before the position, counted from the start of the stream. The
   * gateway may send up to `buffer_samples` samples from the position on.
   */
  consumed: 4,
  /**
   * Sent by a worker while inference makes progress, on each connection that has streams. The frame concerns all
   * streams of its connection.
   */
  alive: 5,
  /**
   * Sent by the gateway when it has finished with a stream. The worker frees the slot at once. The position is
   * CLOSE_REOPENS if the gateway is about to open another stream for the same session, with another context. Otherwise
   * it is 0.
   */
  close: 6,
  /**
   * Sent by a worker when a stream has ended. The position is a close code, and the payload is the name of the reason.
   * If the stream id is CONNECTION_ID, either side may send the frame. It closes the whole connection, and the payload
   * is the reason.
   */
  closed: 7,
  /** The other side must answer with a pong. */
  ping: 8,
  pong: 9,
  /**
   * Reports how many bytes of frames its sender has received since the start of the connection. The position holds the
   * lower 32 bits of this number. Sent only on connections that can be resumed, see relay-resume.ts.
   */
  ack: 10,
} as const;

/** Position of a `close` frame if the gateway is about to open another stream for the same session. */
export const CLOSE_REOPENS = 1;

export type FrameType = (typeof FRAME)[keyof typeof FRAME];

export interface Frame {
  readonly stream: number;
  readonly type: FrameType;
  readonly position: number;
  readonly payload: Uint8Array;
}

/** Thrown if bytes of a connection violate the frame format. The connection cannot continue. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

const TYPES = new Set<number>(Object.values(FRAME));
/** Types that concern the whole connection, never one stream. */
const CONNECTION_TYPES = new Set<number>([FRAME.alive, FRAME.ping, FRAME.pong, FRAME.ack]);

/** Writes a frame header into the first bytes of a buffer. */
export function writeFrameHeader(
  target: Uint8Array,
  { stream, type, position, length }: { stream: number; type: FrameType; position: number; length: number },
): void {
  target[0] = stream >>> 24;
  target[1] = stream >>> 16;
  target[2] = stream >>> 8;
  target[3] = stream;
  target[4] = type;
  target[5] = length >>> 16;
  target[6] = length >>> 8;
  target[7] = length;
  target[8] = position >>> 24;
  target[9] = position >>> 16;
  target[10] = position >>> 8;
  target[11] = position;
}

/** Splits the bytes of a connection into frames, whatever the sizes of the pieces in which the bytes arrive. */
export class FrameReader {
  readonly #maxPayloadBytes: number;
  readonly #header = new Uint8Array(FRAME_HEADER_BYTES);
  #headerBytes = 0;
  /** Part of the payload that has arrived, if the payload arrives in several pieces. */
  #payload: Uint8Array | undefined;
  #payloadBytes = 0;

  constructor(maxPayloadBytes: number) {
    this.#maxPayloadBytes = maxPayloadBytes;
  }

  /**
   * Calls `onFrame` with each frame that these bytes complete. A payload may share the memory of `bytes`. Throws a
   * FrameError if the bytes violate the frame format.
   */
  read(bytes: Uint8Array, onFrame: (frame: Frame) => void): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#headerBytes < FRAME_HEADER_BYTES) {
        const end = Math.min(bytes.length, at + FRAME_HEADER_BYTES - this.#headerBytes);
        this.#header.set(bytes.subarray(at, end), this.#headerBytes);
        this.#headerBytes += end - at;
        at = end;
        if (this.#headerBytes < FRAME_HEADER_BYTES) return;
      }
      const length = this.#length();
      const end = Math.min(bytes.length, at + length - this.#payloadBytes);
      const piece = bytes.subarray(at, end);
      at = end;
      if (piece.length === length) {
        onFrame(this.#complete(piece));
        continue;
      }
      this.#payload ??= new Uint8Array(length);
      this.#payload.set(piece, this.#payloadBytes);
      this.#payloadBytes += piece.length;
      if (this.#payloadBytes === length) onFrame(this.#complete(this.#payload));
    }
  }

  /** Checks a complete header and returns the length of its payload. Throws a FrameError if the header is invalid. */
  #length(): number {
    const header = this.#header;
    const type = header[4] ?? 0;
    const length = ((header[5] ?? 0) << 16) | ((header[6] ?? 0) << 8) | (header[7] ?? 0);
    if (!TYPES.has(type)) throw new FrameError(`a frame has the unknown type ${type}`);
    if (length > this.#maxPayloadBytes) {
      throw new FrameError(`a frame has ${length} bytes, and at most ${this.#maxPayloadBytes} are allowed`);
    }
    const isConnection = readUint32(header, 0) === CONNECTION_ID;
    if (type !== FRAME.closed && CONNECTION_TYPES.has(type) !== isConnection) {
      throw new FrameError(`a frame of type ${type} has the stream id ${readUint32(header, 0)}`);
    }
    return length;
  }

  #complete(payload: Uint8Array): Frame {
    const header = this.#header;
    this.#headerBytes = 0;
    this.#payload = undefined;
    this.#payloadBytes = 0;
    return {
      stream: readUint32(header, 0),
      type: header[4] as FrameType,
      position: readUint32(header, 8),
      payload,
    };
  }
}

function readUint32(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0
  );
}
