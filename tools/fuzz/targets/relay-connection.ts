import { Duplex } from 'node:stream';
import { FRAME, RELAY_LIMITS } from '@svc-asr/core';
import { FrameSocket } from '@svc-asr/runtime';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

/**
 * Maximum number of bytes by which the answers, such as pongs and one close reason, may together exceed the received
 * bytes.
 */
const MAX_ANSWER_BYTES = 400;

function frame(stream: number, type: number, position: number, payload = ''): Buffer {
  const header = Buffer.from([0, 0, 0, stream, type, 0, 0, payload.length, 0, 0, position >> 8, position]);
  return Buffer.concat([header, Buffer.from(payload)]);
}

export const target: FuzzTarget = {
  property: 'FrameSocket handles any bytes without an exception, closes once, and answers with bounded data.',
  seeds: [
    Buffer.concat([frame(1, FRAME.message, 0, '{}'), frame(0, FRAME.ping, 0), frame(0, FRAME.closed, 0, 'reason')]),
    Buffer.concat([frame(0, FRAME.ack, 12), frame(0, FRAME.pong, 0), frame(1, FRAME.closed, 1000, 'done')]),
  ],
  dictionary: Object.values(FRAME).map((type) => frame(0, type, 0)),
  maxBytes: 4096,
  run: (input) => {
    let [written, closed] = [0, 0];
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        written += chunk.length;
        done();
      },
    });
    const isResumable = (input[0] ?? 0) % 2 === 1;
    const connection = new FrameSocket(socket, Buffer.alloc(0), {
      onFrame: ({ payload }) => check(payload.length <= RELAY_LIMITS.maxFrameBytes, 'a payload is longer than allowed'),
      onClose: () => closed++,
      ...(isResumable && { onLost: () => true }),
    });
    const pieceBytes = 1 + (input[1] ?? 0);
    for (let at = 2; at < input.length; at += pieceBytes) socket.emit('data', input.subarray(at, at + pieceBytes));
    connection.destroy();
    check(closed === 1, `onClose was called ${closed} times`);
    check(written <= input.length + MAX_ANSWER_BYTES, `${written} bytes were answered`);
  },
};
