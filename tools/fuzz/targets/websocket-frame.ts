import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import * as ws from 'ws';
import type { WebSocket } from 'ws';
import { STREAM_LIMITS } from '@svc-asr/core';
import { readWholeFrames } from '../../../gateway/src/stream/client/whole-frames.ts';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

/** The class of ws that splits bytes into messages. Its types are not declared. */
const { Receiver } = ws as unknown as {
  Receiver: new (options: { isServer: boolean; maxPayload: number }) => Writable;
};

/** Receives frames in pieces. Returns the events up to the first error, as lines. */
function receive(bytes: Buffer, pieceBytes: number, readsWhole: boolean): string[] {
  const events: string[] = [];
  const receiver = new Receiver({ isServer: true, maxPayload: STREAM_LIMITS.maxPayloadBytes });
  const socket = Object.assign(new EventEmitter(), { _receiver: receiver });
  const onMessage = (data: Buffer, isBinary: boolean) => events.push(`message ${isBinary} ${data.toString('hex')}`);
  socket.on('message', onMessage);
  receiver.on('message', (data: Buffer, isBinary: boolean) => socket.emit('message', data, isBinary));
  for (const event of ['ping', 'pong', 'conclude']) {
    receiver.on(event, (data: unknown) => events.push(`${event} ${Buffer.from(String(data)).toString('hex')}`));
  }
  receiver.on('error', () => undefined);
  if (readsWhole) readWholeFrames(socket as unknown as WebSocket, (data) => onMessage(data, true));
  const sent = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(sent);
  for (let at = 0; at < sent.length && receiver.writable; at += pieceBytes) {
    receiver.write(sent.subarray(at, at + pieceBytes));
  }
  if (receiver.errored !== null) events.push(`error ${(receiver.errored as { code?: string }).code}`);
  return events;
}

function frame(first: number, payload: Buffer): Buffer {
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length];
  length[0] = (length[0] ?? 0) | 0x80;
  return Buffer.concat([Buffer.from([first, ...length, 0, 0, 0, 0]), payload]);
}

export const target: FuzzTarget = {
  property: 'readWholeFrames does not change what a WebSocket receives, for any bytes in any pieces.',
  seeds: [
    Buffer.concat([
      frame(0x82, Buffer.alloc(200, 7)),
      frame(0x82, Buffer.alloc(132, 8)),
      frame(0x81, Buffer.from('{}')),
    ]),
    Buffer.concat([frame(0x02, Buffer.alloc(128, 7)), frame(0x89, Buffer.from('p')), frame(0x80, Buffer.alloc(4))]),
    Buffer.concat([frame(0x88, Buffer.from([3, 232])), frame(0x82, Buffer.alloc(128))]),
    Buffer.concat([frame(0x81, Buffer.from([0xff])), frame(0x82, Buffer.alloc(128))]),
  ].map((bytes) => Buffer.concat([Buffer.from([255]), bytes])),
  dictionary: [0x82, 0x81, 0x88, 0x89, 0x02, 0x00, 0x80, 0xc2].map((first) => frame(first, Buffer.alloc(2))),
  maxBytes: 4096,
  run: (input) => {
    const [piece = 255] = input;
    const bytes = input.subarray(1);
    const pieceBytes = piece === 255 ? Math.max(1, bytes.length) : piece + 1;
    const expected = receive(bytes, pieceBytes, false);
    const actual = receive(bytes, pieceBytes, true);
    check(actual.join('\n') === expected.join('\n'), `received ${actual.join(', ')} instead of ${expected.join(', ')}`);
  },
};
