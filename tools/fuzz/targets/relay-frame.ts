import { FRAME, FRAME_HEADER_BYTES, FrameError, FrameReader, writeFrameHeader } from '@svc-asr/core';
import type { Frame } from '@svc-asr/core';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

const MAX_PAYLOAD_BYTES = 1000;

/**
 * Reads the bytes of a connection in pieces. Returns its frames, encoded as bytes again, and whether the bytes violated
 * the format.
 */
function readFrames(bytes: Buffer, pieceBytes: number): { written: Buffer; isRefused: boolean } {
  const frames: Buffer[] = [];
  const reader = new FrameReader(MAX_PAYLOAD_BYTES);
  try {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      reader.read(bytes.subarray(at, at + pieceBytes), (frame) => frames.push(write(frame)));
    }
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    return { written: Buffer.concat(frames), isRefused: true };
  }
  return { written: Buffer.concat(frames), isRefused: false };
}

function write({ stream, type, position, payload }: Frame): Buffer {
  check(payload.length <= MAX_PAYLOAD_BYTES, 'a payload is longer than allowed');
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  writeFrameHeader(header, { stream, type, position, length: payload.length });
  return Buffer.concat([header, payload]);
}

function example(stream: number, type: number, payload: string): Buffer {
  const header = Buffer.from([0, 0, 0, stream, type, 0, 0, payload.length, 0, 0, 0, 5]);
  return Buffer.concat([header, Buffer.from(payload)]);
}

export const target: FuzzTarget = {
  property: 'FrameReader throws only FrameError, returns what was written, and does not depend on the pieces.',
  seeds: Object.values(FRAME).flatMap((type) => [example(1, type, 'text'), example(0, type, '')]),
  dictionary: [Buffer.from([0, 0, 0, 0]), Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.from([0, 3, 0xe8])],
  maxBytes: 4096,
  run: (input) => {
    const bytes = input.subarray(1);
    const whole = readFrames(bytes, Math.max(1, bytes.length));
    const pieces = readFrames(bytes, 1 + ((input[0] ?? 0) % 40));
    check(whole.written.equals(bytes.subarray(0, whole.written.length)), 'the frames differ from the bytes');
    check(whole.written.equals(pieces.written), 'the frames depend on the pieces');
    check(whole.isRefused === pieces.isRefused, 'the refusal depends on the pieces');
  },
};
