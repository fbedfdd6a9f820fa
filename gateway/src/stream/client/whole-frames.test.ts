import { duplexPair } from 'node:stream';
import type { Duplex } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { readWholeFrames } from './whole-frames.ts';

const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9 };
const REQUEST = {
  method: 'GET',
  url: '/',
  headers: { upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' },
} as unknown as IncomingMessage;

interface ClientFrame {
  readonly opcode: number;
  readonly final: boolean;
  readonly payload: Uint8Array;
  readonly mask: Uint8Array;
}

/** Encodes a frame as clients send it. */
function encode({ opcode, final, payload, mask }: ClientFrame): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = (final ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, mask, payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0))]);
}

/** Returns a copy whose memory starts at a multiple of four, like the buffers of sockets. */
function aligned(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Creates an accepted WebSocket. Returns it with the other end of its connection. */
function accept(): { socket: WebSocket; peer: Duplex } {
  const [end, peer] = duplexPair();
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 131_072 });
  const sockets: WebSocket[] = [];
  server.handleUpgrade(REQUEST, end, Buffer.alloc(0), (accepted) => sockets.push(accepted));
  const [socket] = sockets;
  if (socket === undefined) throw new Error('the WebSocket was not accepted');
  peer.resume();
  return { socket, peer };
}

/**
 * Returns the events of a WebSocket that receives these pieces. If `isExtended` is true, readWholeFrames() is applied
 * to the WebSocket first.
 */
async function receive(pieces: readonly Buffer[], isExtended: boolean): Promise<string[]> {
  const { socket, peer } = accept();
  const events: string[] = [];
  const onMessage = (data: Buffer, isBinary: boolean) => events.push(`${String(isBinary)} ${data.toString('hex')}`);
  socket.on('message', onMessage);
  socket.on('ping', (data: Buffer) => events.push(`ping ${data.toString('hex')}`));
  socket.on('error', (error) => events.push(error.message));
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  if (isExtended) readWholeFrames(socket, (data) => onMessage(data, true));
  for (const piece of pieces) {
    peer.write(aligned(piece));
    await new Promise((resolve) => setImmediate(resolve));
  }
  peer.end();
  await closed;
  return events;
}

const masks = fc.uint8Array({ minLength: 4, maxLength: 4 });
const payloads = fc
  .tuple(fc.constantFrom(0, 1, 125, 126, 127, 128, 3200, 3201, 65_535, 65_536), fc.nat(255))
  .map(([length, first]) => Uint8Array.from({ length }, (_, i) => (first + i) % 251));
const binary = fc.record({
  opcode: fc.constant(OPCODE.binary),
  final: fc.constant(true),
  payload: payloads,
  mask: masks,
});
const others = fc.record({
  opcode: fc.constantFrom(OPCODE.continuation, OPCODE.text, OPCODE.binary, OPCODE.close, OPCODE.ping),
  final: fc.boolean(),
  payload: fc.uint8Array({ maxLength: 3 }).map((bytes) => bytes.map((byte) => byte % 128)),
  mask: masks,
});
const frames = fc.array(fc.oneof({ weight: 3, arbitrary: binary }, others), { maxLength: 8 });

test('readWholeFrames does not change the events of a WebSocket, however its bytes are split into reads', async () => {
  await fc.assert(
    fc.asyncProperty(frames, fc.array(fc.nat(), { maxLength: 3 }), async (sent, cuts) => {
      const encoded = sent.map(encode);
      const all = Buffer.concat(encoded);
      const places = [0, ...cuts.map((cut) => cut % (all.length + 1)), all.length].sort((a, b) => a - b);
      const pieces = places.slice(1).map((place, i) => all.subarray(places[i], place));
      // Sockets most often deliver one frame per piece, so that case is always tested too.
      for (const input of [encoded, pieces.filter(({ length }) => length > 0)]) {
        expect(await receive(input, true)).toEqual(await receive(input, false));
      }
    }),
    { numRuns: 60 },
  );
});

test('readWholeFrames does not call the receiver of the ws library for binary messages that arrive in one piece', async () => {
  const { socket, peer } = accept();
  const { _receiver: receiver } = socket as unknown as { _receiver: { write: (bytes: Buffer) => boolean } };
  let writes = 0;
  receiver.write = () => {
    writes++;
    return true;
  };
  const payload = Uint8Array.from({ length: 3200 }, (_, i) => i % 256);
  const frame = encode({ opcode: OPCODE.binary, final: true, payload, mask: Uint8Array.of(1, 2, 3, 4) });
  const messages: Buffer[] = [];
  const received = new Promise<void>((resolve) => {
    readWholeFrames(socket, (data) => {
      if (messages.push(data) === 3) resolve();
    });
  });
  peer.write(aligned(frame));
  peer.write(aligned(Buffer.concat([frame, frame])));
  await received;
  expect(messages).toEqual([Buffer.from(payload), Buffer.from(payload), Buffer.from(payload)]);
  expect(writes).toBe(0);
});
