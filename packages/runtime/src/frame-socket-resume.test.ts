import { Duplex } from 'node:stream';
import { CONNECTION_ID, FRAME, RESUME_LIMITS } from '@svc-asr/core';
import fc from 'fast-check';
import { FrameSocket } from './frame-socket.ts';

const EMPTY = Buffer.alloc(0);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** One end of a connection in memory. It keeps written bytes until `deliver` is called. */
class Pipe extends Duplex {
  readonly #written: Buffer[] = [];
  other: Pipe | undefined;

  override _read(): void {
    // `deliver` of the other end pushes the bytes.
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#written.push(Buffer.from(bytes));
    done();
  }

  /** Delivers the written bytes to the other end, at most `most` of them. */
  deliver(most = Infinity): void {
    const bytes = Buffer.concat(this.#written.splice(0));
    const delivered = bytes.subarray(0, Math.min(bytes.length, most));
    if (delivered.length < bytes.length) this.#written.push(bytes.subarray(delivered.length));
    if (delivered.length > 0 && this.other?.destroyed === false) this.other.push(delivered);
  }
}

function createPipes(): [Pipe, Pipe] {
  const [one, two] = [new Pipe(), new Pipe()];
  one.other = two;
  two.other = one;
  return [one, two];
}

/** Both sides of a connection whose socket can be lost. The sides have the numbers 0 and 1. */
class Connection {
  pipes = createPipes();
  readonly received: string[][] = [[], []];
  readonly closed: string[] = [];
  readonly sides: FrameSocket[];
  losses = 0;

  constructor() {
    this.sides = this.pipes.map((pipe, side) => {
      return new FrameSocket(pipe, EMPTY, {
        onFrame: ({ stream, type, position, payload }) => {
          this.received[side]?.push(`${stream} ${type} ${position} ${Buffer.from(payload).toString('hex')}`);
        },
        onClose: (reason) => this.closed.push(`${side} ${reason}`),
        onLost: () => {
          this.losses++;
          return true;
        },
      });
    });
  }

  /**
   * Loses the socket, together with the bytes that were not delivered. With `half`, one side notices the loss later.
   */
  async lose(half: boolean): Promise<void> {
    this.pipes[0].destroy();
    if (!half) this.pipes[1].destroy();
    await turn();
  }

  resume(): void {
    const previous = this.pipes;
    this.pipes = createPipes();
    const [zero, one] = this.sides;
    const counts = this.sides.map(({ receivedBytes }) => receivedBytes);
    zero?.resume(this.pipes[0], EMPTY, counts[1] ?? 0);
    one?.resume(this.pipes[1], EMPTY, counts[0] ?? 0);
    // Bytes of the lost socket that arrive late must not be read.
    for (const pipe of previous) pipe.deliver();
  }
}

type Step =
  | { readonly kind: 'send'; readonly side: number; readonly bytes: number }
  | { readonly kind: 'deliver'; readonly side: number; readonly bytes: number }
  | { readonly kind: 'lose'; readonly half: boolean }
  | { readonly kind: 'resume' };

const side = fc.nat(1);
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('send' as const), side, bytes: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('send' as const), side, bytes: fc.nat(60_000) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('deliver' as const), side, bytes: fc.nat(90_000) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('deliver' as const), side, bytes: fc.nat(60) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('lose' as const), half: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('resume' as const) }) },
  ),
  { maxLength: 60, size: 'max' },
);

async function take(connection: Connection, step: Step, sent: string[][]): Promise<void> {
  if (step.kind === 'lose') await connection.lose(step.half);
  else if (step.kind === 'resume') connection.resume();
  else if (step.kind === 'deliver') connection.pipes[step.side]?.deliver(step.bytes);
  else {
    const frames = sent[1 - step.side] ?? [];
    const payload = Buffer.alloc(step.bytes, frames.length);
    frames.push(`1 ${FRAME.audio} ${frames.length} ${payload.toString('hex')}`);
    connection.sides[step.side]?.send(FRAME.audio, 1, frames.length - 1, payload);
  }
  await turn();
}

test('FrameSocket delivers each frame exactly once and in order, at whichever byte the socket is lost', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (schedule) => {
      const connection = new Connection();
      const sent: string[][] = [[], []];
      for (const step of schedule) await take(connection, step, sent);
      connection.resume();
      // Reading may send an ack, which must be delivered too.
      for (let round = 0; round < 4; round++) {
        await turn();
        for (const pipe of connection.pipes) pipe.deliver();
        await turn();
      }
      expect(connection.received).toEqual(sent);
      expect(connection.closed).toEqual([]);
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('FrameSocket closes both sides after end(), and does not report the socket as lost', async () => {
  const connection = new Connection();
  connection.sides[0]?.end();
  for (let round = 0; round < 3; round++) {
    await turn();
    for (const pipe of connection.pipes) pipe.deliver();
  }
  expect(connection.closed).toEqual(['0 the connection was closed', '1 the connection was closed']);
  expect(connection.losses).toBe(0);
  for (const pipe of connection.pipes) pipe.destroy();
});

test('FrameSocket refuses a resume if it has dropped bytes that the other side has not received', async () => {
  const connection = new Connection();
  const payload = Buffer.alloc(100_000);
  await connection.lose(false);
  connection.resume();
  for (let bytes = 0; bytes <= RESUME_LIMITS.keptBytes; bytes += payload.length) {
    connection.sides[0]?.send(FRAME.audio, 1, 0, payload);
    await turn();
  }
  expect(connection.sides[0]?.canResume(0)).toBe(false);
  await connection.lose(false);
  connection.resume();
  expect(connection.closed).toContain('0 the connection cannot be resumed');
  connection.sides[1]?.destroy();
});

test('FrameSocket drops acknowledged bytes, so it can be resumed even after it has sent more bytes than it can keep', async () => {
  const connection = new Connection();
  const payload = Buffer.alloc(100_000);
  for (let bytes = 0; bytes <= 2 * RESUME_LIMITS.keptBytes; bytes += payload.length) {
    connection.sides[0]?.send(FRAME.audio, 1, 0, payload);
    for (const pipe of connection.pipes) {
      await turn();
      pipe.deliver();
    }
    await turn();
  }
  expect(connection.sides[0]?.canResume(0)).toBe(false);
  expect(connection.sides[0]?.canResume(connection.sides[1]?.receivedBytes ?? 0)).toBe(true);
  for (const one of connection.sides) one.destroy();
});

test('FrameSocket closes the connection if an ack confirms bytes that were never sent', async () => {
  const connection = new Connection();
  connection.sides[0]?.send(FRAME.ack, CONNECTION_ID, 1_000_000);
  await turn();
  connection.pipes[0].deliver();
  await turn();
  expect(connection.closed).toEqual(['1 an ack of 1000000 bytes is invalid']);
  connection.sides[0]?.destroy();
});

test('FrameSocket does not count bytes of a socket that was destroyed before the bytes were read', async () => {
  const [pipe] = createPipes();
  const frame = Buffer.from([0, 0, 0, 1, FRAME.message, 0, 0, 0, 0, 0, 0, 0]);
  const received: number[] = [];
  const socket = new FrameSocket(pipe, frame, {
    onFrame: ({ stream }) => received.push(stream),
    onClose: () => undefined,
    onLost: () => true,
  });
  pipe.destroy();
  await turn();
  expect([socket.receivedBytes, received]).toEqual([0, []]);
});
