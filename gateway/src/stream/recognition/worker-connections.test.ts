import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { FRAME, RELAY_CLOSE, RELAY_CONNECTION_PATH, RELAY_UPGRADE, RESUME_HEADERS } from '@svc-asr/core';
import type { Frame, RelayAnswer } from '@svc-asr/core';
import { FrameSocket, payloadText } from '@svc-asr/runtime';
import { eventually } from '../../../../test/support/eventually.ts';
import type { ChannelRequest } from './worker-channel.ts';
import { WorkerConnections } from './worker-connections.ts';
import { WorkerLink } from './worker-link.ts';

const WAIT_MS = 20_000;
const BUFFER_SAMPLES = 40_000;
const SWITCHING = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${RELAY_UPGRADE}\r\n\r\n`;

const REQUEST: ChannelRequest = {
  address: '',
  tls: {},
  ticket: 'ticket',
  context: [56, 13],
  traceparent: undefined,
  replayedSamples: 0,
  openTimeoutMs: WAIT_MS,
};

/** A worker that opens every stream and records the frames that it receives. */
interface FakeWorker {
  address: string;
  connections: FrameSocket[];
  frames: Frame[];
}

let server: Server;
let worker: FakeWorker;
let workers: WorkerConnections;
/** Outcomes of lost connections that were reported. */
let outcomes: string[];

beforeEach(async () => {
  outcomes = [];
  workers = new WorkerConnections((outcome) => outcomes.push(outcome));
  server = createServer();
  worker = { address: '', connections: [], frames: [] };
  server.on('upgrade', (request, socket, head) => {
    if (request.url === RELAY_CONNECTION_PATH) serve(socket, head);
    else socket.destroy();
  });
  await listen();
});
afterEach(() => {
  for (const connection of worker.connections) connection.destroy();
  workers.close();
  server.closeAllConnections();
  server.close();
});

async function listen(): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  worker.address = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function serve(socket: Duplex, head: Buffer, headers = ''): void {
  socket.write(SWITCHING.replace(/\r\n$/, `${headers}\r\n`));
  const frames: FrameSocket = new FrameSocket(socket, head, {
    onFrame: (frame) => {
      worker.frames.push({ ...frame, payload: Buffer.from(frame.payload) });
      if (frame.type === FRAME.close) frames.send(FRAME.closed, frame.stream, RELAY_CLOSE.done);
      if (frame.type !== FRAME.message || !payloadText(frame).includes('"open"')) return;
      const answer = { type: 'opened', chunk_samples: 10, context: [56, 13], buffer_samples: BUFFER_SAMPLES };
      frames.sendMessage(frame.stream, answer);
    },
    onClose: () => undefined,
  });
  worker.connections.push(frames);
}

function openStream(changes: Partial<ChannelRequest> = {}) {
  const answers: RelayAnswer[] = [];
  const ends: string[] = [];
  const request: ChannelRequest = { ...REQUEST, address: worker.address, ...changes };
  const channel = workers.open(request, {
    onAnswer: (answer) => answers.push(answer),
    onLost: (reason) => ends.push(reason),
    onWrongWorker: () => ends.push('wrong worker'),
  });
  const opened = () => eventually('the stream is open', WAIT_MS, () => answers.length > 0);
  return { channel, answers, ends, opened, request };
}

test('WorkerConnections opens all streams to a worker on one connection, each with its own ticket', async () => {
  const streams = ['a', 'b', 'c'].map((ticket) => openStream({ ticket }));
  for (const { opened } of streams) await opened();
  expect(worker.connections).toHaveLength(1);
  const opens = worker.frames.map((frame) => JSON.parse(payloadText(frame)) as { ticket: string });
  expect(opens.map(({ ticket }) => ticket)).toEqual(['a', 'b', 'c']);
  expect(new Set(worker.frames.map(({ stream }) => stream)).size).toBe(3);
});

test('WorkerConnections uses separate connections for different models and for different CAs', async () => {
  const streams = [
    openStream({ tls: { servername: 'a.internal' } }),
    openStream({ tls: { servername: 'b.internal' } }),
    openStream({ tls: { servername: 'b.internal', ca: 'renewed' } }),
    openStream({ tls: { servername: 'b.internal', ca: 'renewed' } }),
  ];
  for (const { opened } of streams) await opened();
  expect(worker.connections).toHaveLength(3);
});

test('WorkerConnections.pickAddress picks the address at which this gateway has the fewest streams', () => {
  const [address, other] = ['ws://127.0.0.1:1', 'ws://127.0.0.1:2'];
  const pick = () => workers.pickAddress({ address, furtherAddresses: [other] });
  const picks = new Map<string, number>();
  for (let stream = 0; stream < 10; stream++) {
    const picked = pick();
    picks.set(picked, (picks.get(picked) ?? 0) + 1);
    openStream({ address: picked });
  }
  expect(Object.fromEntries(picks)).toEqual({ [address]: 5, [other]: 5 });
});

test('WorkerConnections.pickAddress picks one of the addresses at random if the gateway has no streams at the worker', () => {
  const worker = { address: 'a', furtherAddresses: ['b', 'c'] };
  const picks = new Set(Array.from({ length: 1000 }, () => workers.pickAddress(worker)));
  expect([...picks].sort()).toEqual(['a', 'b', 'c']);
  expect(workers.pickAddress({ address: 'a' })).toBe('a');
});

test('a stream waits while its buffer at the worker is full, and another stream of the same connection continues', async () => {
  const [slow, fast] = [openStream(), openStream()];
  for (const { opened } of [slow, fast]) await opened();
  const sentBy = (id: number) => {
    const audio = worker.frames.filter(({ stream, type }) => stream === id && type === FRAME.audio);
    return audio.reduce((sum, { payload }) => sum + payload.length / 2, 0);
  };
  slow.channel.audio(Buffer.alloc(BUFFER_SAMPLES * 20));
  slow.channel.mark('flush');
  for (let samples = 1000; samples <= 100_000; samples += 1000) {
    fast.channel.audio(Buffer.alloc(2000));
    await eventually('the audio arrives', WAIT_MS, () => sentBy(2) === samples);
    worker.connections[0]?.send(FRAME.consumed, 2, samples);
  }
  expect(sentBy(1)).toBe(BUFFER_SAMPLES);
  worker.connections[0]?.send(FRAME.consumed, 1, BUFFER_SAMPLES);
  await eventually('the credit is used', WAIT_MS, () => sentBy(1) === 2 * BUFFER_SAMPLES);
});

test('closing a stream sends a close frame, and late answers for that stream are ignored', async () => {
  const [closed, other] = [openStream(), openStream()];
  for (const { opened } of [closed, other]) await opened();
  closed.channel.close();
  await eventually('the close arrives', WAIT_MS, () => worker.frames.some(({ type }) => type === FRAME.close));
  worker.connections[0]?.send(FRAME.delta, 1, 10, Buffer.from('late'));
  worker.connections[0]?.send(FRAME.delta, 2, 20, Buffer.from('wĩ mwega'));
  await eventually('the delta arrives', WAIT_MS, () => other.answers.length === 2);
  expect(other.answers[1]).toEqual({ type: 'delta', text: 'wĩ mwega', audio_end: 20 });
  expect(closed.answers).toHaveLength(1);
  expect(closed.ends).toEqual([]);
});

test('when a connection that cannot be resumed is lost, all of its streams are lost, and the next stream opens another connection', async () => {
  const streams = [openStream(), openStream()];
  for (const { opened } of streams) await opened();
  worker.connections[0]?.destroy();
  for (const { ends } of streams) {
    expect(await eventually('the stream is lost', WAIT_MS, () => ends[0])).toContain(
      'the connection to the worker failed',
    );
  }
  await openStream().opened();
  expect(worker.connections).toHaveLength(2);
});

/**
 * Lets the worker offer to keep lost connections. Returns a list to which each request to resume a connection is added.
 */
function offerResume(answer: (socket: Duplex) => void, withinMs = 60_000): { token: unknown; received: unknown }[] {
  const requests: { token: unknown; received: unknown }[] = [];
  const terms = `${RESUME_HEADERS.token}: secret\r\n${RESUME_HEADERS.withinMs}: ${withinMs}\r\n`;
  server.removeAllListeners('upgrade');
  server.on('upgrade', ({ headers }, socket, head) => {
    if (headers[RESUME_HEADERS.offer] === '1') serve(socket, head, terms);
    else {
      requests.push({ token: headers[RESUME_HEADERS.token], received: headers[RESUME_HEADERS.received] });
      answer(socket);
    }
  });
  return requests;
}

test.each<[string, (socket: Duplex) => void, string]>([
  [
    'the worker no longer knows the connection',
    (socket) => socket.end('HTTP/1.1 410 Gone\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
    'the worker refused to resume it with status 410',
  ],
  [
    'a worker of an older version opens a new connection instead of resuming the lost one',
    (socket) => socket.write(SWITCHING),
    'the worker opened another connection',
  ],
])('the streams of a lost connection are lost at once if %s', async (_name, answer, reason) => {
  const requests = offerResume(answer);
  const { ends, opened } = openStream();
  await opened();
  worker.connections[0]?.destroy();
  expect(await eventually('the stream is lost', WAIT_MS, () => ends[0])).toContain(reason);
  expect(requests).toEqual([{ token: 'secret', received: expect.stringMatching(/^[1-9]\d+$/) as string }]);
  expect(outcomes).toEqual(['refused']);
});

test('the streams of a lost connection are lost at once if no process listens at the address of the worker', async () => {
  offerResume(() => undefined);
  const { ends, opened } = openStream();
  await opened();
  server.close();
  worker.connections[0]?.destroy();
  expect(await eventually('the stream is lost', WAIT_MS, () => ends[0])).toContain('ECONNREFUSED');
  expect(outcomes).toEqual(['refused']);
});

test('the gateway repeatedly tries to resume a lost connection, until the period in which the worker accepts a resume is over', async () => {
  const requests = offerResume((socket) => socket.destroy(), 4000);
  const { ends, opened } = openStream();
  await opened();
  worker.connections[0]?.destroy();
  await eventually('the stream is lost', WAIT_MS, () => ends[0]);
  expect(requests.length).toBeGreaterThan(1);
  expect(outcomes).toEqual(['expired']);
});

test('the gateway does not resume a connection that the worker has closed', async () => {
  const requests = offerResume(() => undefined);
  const { ends, opened } = openStream();
  await opened();
  worker.connections[0]?.fail('bytes that are no frame');
  expect(await eventually('the stream is lost', WAIT_MS, () => ends[0])).toContain('bytes that are no frame');
  expect([requests, outcomes]).toEqual([[], []]);
});

test('if the worker closes one stream, the other streams of the connection continue', async () => {
  const [lost, other] = [openStream(), openStream()];
  for (const { opened } of [lost, other]) await opened();
  worker.connections[0]?.send(FRAME.closed, 1, RELAY_CLOSE.failed, Buffer.from('inference_failed'));
  await eventually('the stream is lost', WAIT_MS, () => lost.ends.length === 1);
  expect(lost.ends).toEqual(['the worker closed the stream (1011 inference_failed)']);
  expect(other.ends).toEqual([]);
});

test('a retired connection keeps its streams, gets no new streams, and is closed after its last stream has ended', async () => {
  const first = openStream();
  await first.opened();
  workers.retire(first.request);
  await openStream().opened();
  expect(worker.connections).toHaveLength(2);
  first.channel.mark('flush');
  await eventually('the flush arrives', WAIT_MS, () =>
    worker.frames.some((frame) => payloadText(frame).includes('flush')),
  );
  first.channel.close();
  await eventually('the first connection closes', WAIT_MS, () => !worker.connections[0]?.isOpen);
  expect(worker.connections[1]?.isOpen).toBe(true);
});

test('a stream that the worker does not open in time is lost, and the next stream gets another connection', async () => {
  server.removeAllListeners('upgrade');
  let upgrades = 0;
  server.on('upgrade', (_request, socket: Duplex) => {
    upgrades++;
    socket.write(SWITCHING);
    socket.on('error', () => socket.destroy());
  });
  const links: WorkerLink[] = [];
  const expire = () =>
    new Promise<string>((resolve) => {
      const request = { ...REQUEST, address: worker.address, openTimeoutMs: 4000 };
      const events = { onMessage: () => undefined, onLost: resolve, onWrongWorker: resolve };
      links.push(new WorkerLink(workers, request, events));
    });
  expect(await expire()).toBe('the worker did not open the stream in time');
  expect(await expire()).toBe('the worker did not open the stream in time');
  expect([upgrades, workers.size]).toEqual([2, 0]);
});

test('if a worker cannot be reached, the stream is lost and the reason is reported', async () => {
  const { ends } = openStream({ address: 'ws://127.0.0.1:1' });
  await eventually('the stream is lost', WAIT_MS, () => ends.length === 1);
  expect(ends[0]).toContain('ECONNREFUSED');
  expect(workers.size).toBe(0);
});
