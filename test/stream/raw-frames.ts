import fc from 'fast-check';
import { AUDIO, STREAM_LIMITS } from '@svc-asr/core';

/** A WebSocket frame of a client. Its fields may violate RFC 6455. */
export interface RawFrame {
  readonly isFinal: boolean;
  /** Reserved bits, from 0 to 7. */
  readonly reserved: number;
  readonly opcode: number;
  readonly isMasked: boolean;
  readonly payload: Buffer;
  /** Length in the header, if it differs from the length of the payload. The payload is then not sent. */
  readonly declaredBytes?: bigint;
}

/** What a gateway must do with the frames of a client. */
export interface Expected {
  /** Code of the close frame that the gateway sends. 1005 for a close frame without a code. */
  readonly closeCode: number;
  /** Number of audio bytes that the gateway must accept before the stream ends. */
  readonly audioBytes: number;
}

const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const CONTROL = 8;
const MAX_CONTROL_BYTES = 125;
const MASK = Buffer.from([0x12, 0x34, 0x56, 0x78]);
/** Largest length that can be read as an exact JavaScript number. */
const MAX_LENGTH = 2n ** 53n - 1n;
/** Close code of a stream whose client violated RFC 6455. */
const VIOLATION = 4400;
const TOO_LARGE = 1009;
/** Close codes that RFC 6455 does not allow in a close frame. */
const FORBIDDEN_CODES = [0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535];

/** Writes a frame as a client sends it. */
export function writeFrame({ isFinal, reserved, opcode, isMasked, payload, declaredBytes }: RawFrame): Buffer {
  const length = declaredBytes ?? BigInt(payload.length);
  const first = (isFinal ? 0x80 : 0) | (reserved << 4) | opcode;
  const head = Buffer.alloc(length < 126n ? 2 : length < 65_536n ? 4 : 10);
  head[0] = first;
  head[1] = (isMasked ? 0x80 : 0) | (length < 126n ? Number(length) : length < 65_536n ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(Number(length), 2);
  if (head.length === 10) head.writeBigUInt64BE(length, 2);
  const body = declaredBytes === undefined ? payload : Buffer.alloc(0);
  return isMasked
    ? Buffer.concat([head, MASK, body.map((byte, at) => byte ^ (MASK[at % 4] ?? 0))])
    : Buffer.concat([head, body]);
}

/**
 * Returns what a gateway must do according to RFC 6455 and the limits of the stream. The frames must end with a close
 * frame.
 */
export function expectedOf(frames: readonly RawFrame[]): Expected {
  let audioBytes = 0;
  let open: { opcode: number; parts: Buffer[] } | undefined;
  for (const frame of frames) {
    const end = (closeCode: number): Expected => ({ closeCode, audioBytes });
    if (isViolation(frame, open !== undefined)) return end(VIOLATION);
    if (frame.opcode >= CONTROL) {
      if (frame.opcode === OPCODE.close) return end(answerToClose(frame.payload));
      continue;
    }
    const { opcode, parts } = open ?? { opcode: frame.opcode, parts: [] };
    const bytes = parts.reduce((sum, { length }) => sum + length, Number(frame.declaredBytes ?? frame.payload.length));
    if (bytes > STREAM_LIMITS.maxPayloadBytes) return end(TOO_LARGE);
    parts.push(frame.payload);
    open = frame.isFinal ? undefined : { opcode, parts };
    if (!frame.isFinal) continue;
    if (opcode === OPCODE.text && !isUtf8(Buffer.concat(parts))) return end(VIOLATION);
    if (opcode === OPCODE.binary && bytes > STREAM_LIMITS.maxFrameBytes) return end(TOO_LARGE);
    if (opcode === OPCODE.binary && bytes % AUDIO.bytesPerSample === 0) audioBytes += bytes;
  }
  throw new Error('the frames do not end with a close frame');
}

function isViolation(
  { isFinal, reserved, opcode, isMasked, payload, declaredBytes }: RawFrame,
  isOpen: boolean,
): boolean {
  if (reserved !== 0 || !isMasked) return true;
  if (opcode >= CONTROL) {
    const bytes = Number(declaredBytes ?? payload.length);
    const isShort = opcode === OPCODE.close && bytes === 1;
    return !isFinal || opcode > OPCODE.pong || bytes > MAX_CONTROL_BYTES || isShort;
  }
  if (opcode === OPCODE.continuation) return !isOpen;
  return opcode > OPCODE.binary || isOpen;
}

function answerToClose(payload: Buffer): number {
  if (payload.length === 0) return 1005;
  const code = payload.readUInt16BE();
  return FORBIDDEN_CODES.includes(code) || !isUtf8(payload.subarray(2)) ? VIOLATION : code;
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString(), 'utf8').equals(bytes);
}

const TEXTS = ['{"type":"flush"}', '{"type":"keepalive"}', '{"type":"reset"}', '{"type":"config"}', '{"type":1}', 'é'];
const valid = (opcode: number, payload: Buffer): RawFrame => ({
  isFinal: true,
  reserved: 0,
  opcode,
  isMasked: true,
  payload,
});
const closeFrame = (code: number, reason: Buffer = Buffer.alloc(0)): RawFrame => {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return valid(OPCODE.close, Buffer.concat([head, reason]));
};

const payloads = fc.oneof(
  fc.constantFrom(...TEXTS).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(126, 3200, 65_536).map((bytes) => Buffer.alloc(bytes)),
);
/** A message in one frame or in several ones. */
const messages = fc
  .tuple(
    fc.constantFrom(OPCODE.text, OPCODE.binary),
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...TEXTS).map((text) => Buffer.from(text)) },
      { weight: 1, arbitrary: fc.constantFrom(0, 1, 640, 3200).map((bytes) => Buffer.alloc(bytes)) },
    ),
    fc.nat({ max: 3 }),
  )
  .map(([opcode, payload, cuts]) => {
    const size = Math.max(1, Math.ceil(payload.length / (cuts + 1)));
    const count = Math.max(1, Math.ceil(payload.length / size));
    return Array.from({ length: count }, (_, at) => ({
      ...valid(at === 0 ? opcode : OPCODE.continuation, payload.subarray(at * size, (at + 1) * size)),
      isFinal: at === count - 1,
    }));
  });
const controls = fc
  .tuple(fc.constantFrom(OPCODE.ping, OPCODE.pong), fc.uint8Array({ maxLength: MAX_CONTROL_BYTES }))
  .map(([opcode, payload]) => [valid(opcode, Buffer.from(payload))]);
/** Any frame. Most of them violate RFC 6455. */
const anyFrames = fc
  .record({
    isFinal: fc.boolean(),
    reserved: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 7 }) }),
    opcode: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(0, 1, 2, 9) },
      { weight: 1, arbitrary: fc.nat({ max: 15 }) },
    ),
    isMasked: fc.oneof({ weight: 7, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    payload: payloads,
  })
  // Leaves out close frames, which end the connection. The generator `closes` below creates valid and invalid ones.
  .filter(({ opcode }) => opcode !== OPCODE.close)
  .map((frame) => [frame]);
/** Frames whose header declares more bytes than any message may have. */
const oversize = fc
  .tuple(fc.constantFrom(131_073n, 2n ** 31n, 2n ** 32n + 5n, MAX_LENGTH), fc.constantFrom(OPCODE.text, OPCODE.binary))
  .map(([declaredBytes, opcode]) => [{ ...valid(opcode, Buffer.alloc(0)), declaredBytes }]);
const closes = fc.oneof(
  fc.constantFrom(1000, 1001, 3000, 4999, ...FORBIDDEN_CODES).map((code) => closeFrame(code)),
  fc.constant(closeFrame(1000, Buffer.from([0xc3, 0x28]))),
  fc.constant(valid(OPCODE.close, Buffer.alloc(0))),
  fc.constant(valid(OPCODE.close, Buffer.alloc(1))),
  fc.constant(valid(OPCODE.close, Buffer.alloc(126))),
);

/** Frames of a connection, and the size of the pieces in which their bytes are sent. */
export interface RawCase {
  readonly frames: readonly RawFrame[];
  readonly pieceBytes: number;
}

/**
 * Generates connections. The last frame of each connection is a close frame. An earlier frame may already end the
 * connection.
 */
export const rawCases: fc.Arbitrary<RawCase> = fc.record({
  frames: fc
    .tuple(
      fc.array(
        fc.oneof(
          { weight: 4, arbitrary: messages },
          { weight: 2, arbitrary: controls },
          { weight: 2, arbitrary: anyFrames },
          { weight: 1, arbitrary: oversize },
        ),
        { maxLength: 6 },
      ),
      closes,
    )
    .map(([parts, close]) => [...parts.flat(), close]),
  pieceBytes: fc.constantFrom(1, 3, 7, 1000, 1_000_000),
});
