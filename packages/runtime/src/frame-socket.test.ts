import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { FRAME, FrameReader, RELAY_LIMITS } from '@svc-asr/core';
import type { Frame } from '@svc-asr/core';
import { eventually } from '../../../test/support/eventually.ts';
import { FrameSocket, payloadText } from './frame-socket.ts';

const EMPTY = Buffer.alloc(0);
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Returns both ends of a TCP connection. */
async function pair(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  server.close();
  sockets.push(client, accepted);
  return [client, accepted];
}

/**
 * Collects the frames that a socket receives. `until` of the result resolves when the socket has received `count`
 * frames.
 */
function collect(socket: Socket, onFrame: (frame: Frame) => void = () => undefined) {
  const frames: Frame[] = [];
  let check: () => void = () => undefined;
  let onClose: (reason: string) => void = () => undefined;
  const closed = new Promise<string>((resolve) => (onClose = resolve));
  const end = new FrameSocket(socket, EMPTY, {
    onFrame: (frame) => {
      onFrame(frame);
      frames.push({ ...frame, payload: Buffer.from(frame.payload) });
      check();
    },
    onClose,
  });
  const until = (count: number) =>
    new Promise<Frame[]>((resolve) => {
      check = () => {
        if (frames.length >= count) resolve(frames);
      };
      check();
    });
  return { end, closed, until };
}

test('FrameSocket writes all frames that are sent in one callback together, in order', async () => {
  const writes: Buffer[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (bytes: Buffer, _encoding, done) => {
      if (bytes.length > 0) writes.push(bytes);
      done();
    },
  });
  const sender = new FrameSocket(socket, EMPTY, { onFrame: () => undefined, onClose: () => undefined });
  for (let i = 1; i <= 100; i++) sender.send(FRAME.consumed, i, i * 10);
  sender.sendMessage(7, { type: 'flush' }, 5);
  await sender.flushed();
  expect(writes).toHaveLength(1);
  const frames: Frame[] = [];
  new FrameReader(1000).read(writes[0] ?? EMPTY, (frame) => frames.push(frame));
  expect(frames.slice(0, 100).map(({ stream, position }) => position / stream)).toEqual(Array(100).fill(10));
  expect(frames[100]).toMatchObject({ stream: 7, type: FRAME.message, position: 5 });
  expect(frames.slice(100).map(payloadText)).toEqual(['{"type":"flush"}']);
});

test('FrameSocket transfers large payloads unchanged, and answers a ping', async () => {
  const [client, accepted] = await pair();
  const { end, until: untilSent } = collect(client);
  const { until } = collect(accepted);
  const payload = Buffer.alloc(RELAY_LIMITS.maxFrameBytes, 'speech');
  for (let i = 0; i < 20; i++) end.send(FRAME.audio, 1, i, payload);
  expect((await until(20)).every((frame) => payload.equals(frame.payload))).toBe(true);
  end.takeReceived();
  end.ping();
  await eventually('the pong arrives', 30_000, () => end.takeReceived());
  expect(await untilSent(0)).toEqual([]);
});

test('FrameSocket closes the connection after bytes that are not a frame, and reports the reason on both sides', async () => {
  const [client, accepted] = await pair();
  const { closed: refused } = collect(accepted);
  const { closed, end } = collect(client);
  client.write(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
  expect(await refused).toContain('a frame has the unknown type');
  expect(await closed).toContain('a frame has the unknown type');
  expect(end.isOpen).toBe(false);
  end.send(FRAME.close, 1);
});

test('FrameSocket.flushed() resolves when all frames are written, and also after the connection was destroyed', async () => {
  const [client, accepted] = await pair();
  const { end } = collect(client);
  const { until } = collect(accepted);
  end.send(FRAME.close, 3);
  await end.flushed();
  expect(end.unsentBytes).toBe(0);
  expect(await until(1)).toMatchObject([{ stream: 3, type: FRAME.close }]);
  end.destroy();
  await end.flushed();
});

test('FrameSocket delivers no further frame after a callback has destroyed the connection', async () => {
  const [client, accepted] = await pair();
  const received: number[] = [];
  const receiver = collect(accepted, ({ stream }) => {
    received.push(stream);
    if (stream === 2) receiver.end.destroy('enough');
  });
  const { end } = collect(client);
  for (let i = 1; i <= 5; i++) end.send(FRAME.close, i);
  expect(await receiver.closed).toBe('enough');
  expect(received).toEqual([1, 2]);
});

// An earlier version called `onFrame` inside the constructor if frames arrived with the upgrade. The owner of the
// connection did not exist yet, so the process ended with an error.
test('FrameSocket calls no callback before its constructor returns, even if frames arrive with the upgrade', async () => {
  const server = createHttpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const order: string[] = [];
  const closed = new Promise<string>((resolve) => {
    server.on('upgrade', (_request, socket, head) => {
      order.push(`${head.length} bytes`);
      new FrameSocket(socket, head, { onFrame: () => order.push('frame'), onClose: resolve });
      order.push('constructed');
    });
  });
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(client);
  const frame = Buffer.from([0, 0, 0, 1, FRAME.message, 0, 0, 0, 0, 0, 0, 0]);
  const invalid = Buffer.alloc(12, 0xff);
  const request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: svc-asr-relay\r\n\r\n';
  client.write(Buffer.concat([Buffer.from(request), frame, invalid]));
  const reason = await closed;
  server.close();
  expect(reason).toContain('unknown type 255');
  expect(order).toEqual(['24 bytes', 'constructed', 'frame']);
});
