import fc from 'fast-check';
import { FRAME, FRAME_HEADER_BYTES, FrameError, FrameReader, writeFrameHeader } from './relay-frames.ts';
import type { Frame, FrameType } from './relay-frames.ts';

const MAX_BYTES = 300;

function encode({ stream, type, position, payload }: Frame): Uint8Array {
  const bytes = new Uint8Array(FRAME_HEADER_BYTES + payload.length);
  writeFrameHeader(bytes, { stream, type, position, length: payload.length });
  bytes.set(payload, FRAME_HEADER_BYTES);
  return bytes;
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

/**
 * Passes the bytes to the reader in pieces that end at the positions `cuts`. Copies payloads, because they may share
 * memory with the bytes.
 */
function readInPieces(bytes: Uint8Array, cuts: readonly number[], reader = new FrameReader(MAX_BYTES)): Frame[] {
  const frames: Frame[] = [];
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    reader.read(bytes.slice(from, to), (frame) => {
      frames.push({ ...frame, payload: Uint8Array.from(frame.payload) });
    });
    from = to;
  }
  return frames;
}

const uint32 = { min: 0, max: 0xffff_ffff };
const connectionTypes: FrameType[] = [FRAME.alive, FRAME.ping, FRAME.pong, FRAME.ack];
const streamTypes = Object.values(FRAME).filter((type) => !connectionTypes.includes(type));
const frame = fc.oneof(
  fc.record({
    stream: fc.integer({ min: 1, max: uint32.max }),
    type: fc.constantFrom(...streamTypes),
    position: fc.integer(uint32),
    payload: fc.uint8Array({ maxLength: MAX_BYTES }),
  }),
  fc.record({
    stream: fc.constant(0),
    type: fc.constantFrom(...connectionTypes, FRAME.closed),
    position: fc.integer(uint32),
    payload: fc.uint8Array({ maxLength: 8 }),
  }),
);

test('FrameReader returns the frames that were written, wherever the bytes are split', () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(3000)), (frames, positions) => {
      const bytes = join(frames.map(encode));
      const cuts = positions.map((at) => Math.min(at, bytes.length)).sort((a, b) => a - b);
      expect(readInPieces(bytes, cuts)).toEqual(frames);
    }),
  );
});

test('FrameReader returns the same frames if the bytes are split at any one position or arrive one by one', () => {
  const frames: Frame[] = [
    { stream: 1, type: FRAME.audio, position: 7, payload: Uint8Array.of(1, 2, 3, 4) },
    { stream: 0, type: FRAME.ping, position: 0, payload: new Uint8Array() },
    { stream: uint32.max, type: FRAME.message, position: uint32.max, payload: Uint8Array.of(255) },
    { stream: 2, type: FRAME.close, position: 0, payload: new Uint8Array() },
  ];
  const bytes = join(frames.map(encode));
  for (let cut = 0; cut <= bytes.length; cut++) expect(readInPieces(bytes, [cut])).toEqual(frames);
  expect(readInPieces(bytes, [...bytes.keys()])).toEqual(frames);
});

test.each<[string, Parameters<typeof writeFrameHeader>[1], string]>([
  ['an unknown type', { stream: 1, type: 77 as FrameType, position: 0, length: 0 }, 'the unknown type 77'],
  [
    'too many bytes',
    { stream: 1, type: FRAME.audio, position: 0, length: MAX_BYTES + 1 },
    '301 bytes, and at most 300',
  ],
  ['audio without a stream', { stream: 0, type: FRAME.audio, position: 0, length: 0 }, 'type 2 has the stream id 0'],
  ['a ping of a stream', { stream: 5, type: FRAME.ping, position: 0, length: 0 }, 'type 8 has the stream id 5'],
])('FrameReader refuses %s as soon as the header is complete', (_name, header, reason) => {
  const bytes = new Uint8Array(FRAME_HEADER_BYTES);
  writeFrameHeader(bytes, header);
  expect(() => readInPieces(bytes, [])).toThrow(FrameError);
  expect(() => readInPieces(bytes, [4, 11])).toThrow(reason);
});

test('FrameReader throws no error other than FrameError, whatever bytes it gets', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 100 })), (pieces) => {
      const reader = new FrameReader(MAX_BYTES);
      try {
        for (const piece of pieces) {
          reader.read(piece, ({ payload }) => expect(payload.length).toBeLessThanOrEqual(MAX_BYTES));
        }
      } catch (error) {
        expect(error).toBeInstanceOf(FrameError);
      }
    }),
  );
});
