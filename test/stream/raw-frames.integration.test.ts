import { connect } from 'node:net';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import {
  FRAME,
  FRAME_HEADER_BYTES,
  FrameReader,
  RELAY_CONNECTION_PATH,
  RELAY_LIMITS,
  RELAY_UPGRADE,
} from '@svc-asr/core';
import type { Frame } from '@svc-asr/core';
import { MODEL } from '../support/gateway.ts';
import { recording } from '../support/recording.ts';
import { expectedOf, rawCases, writeFrame } from './raw-frames.ts';
import type { RawCase } from './raw-frames.ts';
import { CREDIT_MS, setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Opened, Stage } from './stage.ts';

/** Number of connections, and the seed from which they are generated. */
const CASES = Number(process.env.RAW_FRAME_CASES ?? 60);
const SEED = Number(process.env.RAW_FRAME_SEED ?? 1);
const AT_ONCE = 10;
const RESERVED_SECONDS = 60;

const { pcm } = recording();
let stage: Stage;
/** A stream that is open during all tests. */
let witness: Opened;
beforeAll(async () => {
  // The witness sends nothing while the cases run, and must not be disconnected as idle.
  stage = await setStage({ gateway: { STREAM_IDLE_MS: '600000' } });
  witness = await stage.ready();
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

/** Runs a function for each element, with a limited number of concurrent runs. */
async function forEachAtOnce<T>(list: readonly T[], run: (element: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < list.length; at += AT_ONCE) await Promise.all(list.slice(at, at + AT_ONCE).map(run));
}

/** Checks that the witness, a stream that is open during all tests, still gets a transcript. */
async function checkWitness(): Promise<void> {
  witness.stream.audio(pcm);
  witness.stream.send({ type: 'flush' });
  expect((await witness.stream.next('final')).text).not.toBe('');
}

async function sendInPieces(socket: Socket, bytes: Buffer, pieceBytes: number): Promise<void> {
  for (let at = 0; at < bytes.length && !socket.destroyed; at += pieceBytes) {
    socket.write(bytes.subarray(at, at + pieceBytes));
    // Without this pause, the kernel would join the pieces.
    if (pieceBytes > 3 || at % 10 === 0) await new Promise(setImmediate);
  }
}

/** Opens a stream, sends the frames of a case, and returns what the gateway did. */
async function play({ frames, pieceBytes }: RawCase) {
  const sockets: Socket[] = [];
  const options = {
    createConnection: (target: unknown) => {
      const socket = connect(target as { host: string; port: number });
      sockets.push(socket);
      return socket;
    },
  };
  const opened = await stage.ready(RESERVED_SECONDS, { socket: options });
  const [socket] = sockets;
  if (socket === undefined) throw new Error('the stream has no socket');
  await sendInPieces(socket, Buffer.concat(frames.map(writeFrame)), pieceBytes);
  const { code } = await opened.stream.closed;
  socket.destroy();
  return { code, settled: await stage.settled(opened) };
}

test('a gateway answers any WebSocket frames with the right close code, and settles the session', async () => {
  const cases = fc.sample(rawCases, { seed: SEED, numRuns: CASES });
  await forEachAtOnce(cases, async (each) => {
    const expected = expectedOf(each.frames);
    const { code, settled } = await play(each);
    const { state, billableMs, balance } = settled;
    // A failure of the service is free of charge.
    const seconds = state === 'completed' ? Math.ceil(expected.audioBytes / 32_000) : 0;
    const actual = { code, billableMs, reservedMs: balance.reservedMs, consumedMs: balance.consumedMs };
    const wanted = { code: expected.closeCode, billableMs: seconds * 1000, reservedMs: 0, consumedMs: seconds * 1000 };
    expect([each, actual]).toEqual([each, wanted]);
    expect(balance.availableMs + balance.consumedMs).toBe(CREDIT_MS);
  });
  await checkWitness();
});

describe('a worker', () => {
  const payloads = fc.oneof(
    fc
      .constantFrom('{"type":"open","context":[56,13]}', '{"type":"flush"}', '{', 'null')
      .map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
  );
  const frames = fc
    .tuple(
      fc.constantFrom(0, 1, 2, 0xffff_ffff),
      fc.nat({ max: 12 }),
      fc.nat(),
      payloads,
      fc.constantFrom(0, 0, 0, 1 << 23),
    )
    .map(([stream, type, position, payload, extraBytes]) => {
      const header = Buffer.alloc(FRAME_HEADER_BYTES);
      header.writeUInt32BE(stream);
      header.writeUInt32BE((payload.length + extraBytes) % 2 ** 24, 4);
      header[4] = type;
      header.writeUInt32BE(position, 8);
      return Buffer.concat([header, payload]);
    });
  const connections = fc.array(frames, { minLength: 1, maxLength: 8 }).map((parts) => Buffer.concat(parts));

  /**
   * Connects to a worker and sends bytes after the upgrade. Returns the frames that the worker sent until it closed the
   * connection.
   */
  async function send(port: number, bytes: Buffer): Promise<Frame[]> {
    const received: Buffer[] = [];
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          `GET ${RELAY_CONNECTION_PATH} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${RELAY_UPGRADE}\r\n\r\n`,
        );
        socket.end(bytes);
      });
      socket.on('data', (data: Buffer) => received.push(data));
      // If the worker closes the connection before it has read all bytes, the connection is reset. Frames that the
      // worker sent may then be lost.
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
    });
    const all = Buffer.concat(received);
    if (all.length === 0) return [];
    const start = all.indexOf('\r\n\r\n') + 4;
    expect(all.toString('latin1', 0, start)).toMatch(/^HTTP\/1\.1 101 /);
    const answers: Frame[] = [];
    new FrameReader(RELAY_LIMITS.maxFrameBytes).read(all.subarray(start), (frame) => answers.push(frame));
    return answers;
  }

  test('closes connections that send random frames, opens no stream without a ticket, and serves other streams', async () => {
    const [worker] = await stage.ledger.workers.list(MODEL);
    const port = Number(new URL(worker?.address ?? '').port);
    await forEachAtOnce(fc.sample(connections, { seed: SEED, numRuns: CASES }), async (bytes) => {
      const answers = await send(port, bytes);
      const opened = answers.filter(
        ({ type, payload }) => type === FRAME.message && Buffer.from(payload).includes('"opened"'),
      );
      expect(opened).toEqual([]);
    });
    await checkWitness();
  });
});
