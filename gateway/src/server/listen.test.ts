import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { createLogger } from '@svc-asr/runtime';
import { openExchange } from '../http/exchange.ts';
import { answerErrors } from '../http/errors.ts';
import { jsonBody } from '../http/json-body.ts';
import { observe } from '../http/observe.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { GatewaySettings } from '../settings.ts';
import { send as sendRequest } from '../../../test/support/answer.ts';
import { createCertificate } from '../../../test/support/certificate.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { computeMaxConnections, maxConnectionsOf } from './connections.ts';
import { countConnections, listen } from './listen.ts';

type Line = Record<string, unknown>;

const MIB = 1_048_576;

const settings = {
  HOST: '127.0.0.1',
  PORT: 0,
  TLS_CERT_FILE: '',
  TLS_KEY_FILE: '',
  HEADERS_TIMEOUT_MS: 3000,
  REQUEST_TIMEOUT_MS: 3000,
  KEEP_ALIVE_MS: 3000,
  TLS_HANDSHAKE_TIMEOUT_MS: 3000,
  MAX_CONNECTIONS: 0,
  MAX_CONNECTIONS_PER_ADDRESS: 0,
} as GatewaySettings;

let server: Server;
const servers: Server[] = [];
let lines: Line[];
let counted: Line[];
let refused: unknown[];

const trustProxy = () => false;
const metrics = {
  requests: { add: (_amount: number, labels: Line) => counted.push(labels) },
  connectionsRefused: { add: (_amount: number, labels: Line) => refused.push(labels.reason) },
  requestSeconds: { record: () => undefined },
} as unknown as GatewayMetrics;

beforeEach(async () => {
  [lines, counted, refused] = [[], [], []];
  const logger = createLogger('gateway', 'info', { write: (line) => lines.push(JSON.parse(line) as Line) });
  const app = express();
  app.use(openExchange, observe(logger, metrics));
  app.post('/', jsonBody, (_request, response) => void response.json({}));
  app.use(answerErrors(logger));
  server = await listen(app, { settings, logger, metrics, trustProxy });
});

afterEach(() => {
  server.close();
  for (const other of servers.splice(0)) other.close();
});

/**
 * Sends bytes. If `then` is set, ends or resets the connection when the server has read the head of the request.
 * Returns all bytes that were received until the connection closed.
 */
async function send(bytes: string, then?: 'reset' | 'end'): Promise<string> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(bytes));
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
    if (then === 'reset') server.once('request', () => socket.resetAndDestroy());
    if (then === 'end') server.once('request', () => socket.end());
  });
}

const requestIdIn = (answer: string) => /X-Request-Id: (\S+)/i.exec(answer)?.[1];
const loggedLine = async (): Promise<Line | undefined> => {
  while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  expect([lines.length, counted.length]).toEqual([1, 1]);
  return lines[0];
};
const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a"';

test.each([
  [400, 'not http\r\n\r\n'],
  [431, `GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
  [408, 'GET / HTTP/1.1\r\nX: never en'],
])(
  'the gateway logs and counts a %d response to a request that reached no route, with the request id of the response',
  async (status, bytes) => {
    const answer = await send(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const labels = { route: 'none', status, code: 'invalid_parameters' };
    expect(await loggedLine()).toMatchObject({
      message: 'request',
      level: 'info',
      request_id: requestIdIn(answer),
      ...labels,
    });
    expect(counted[0]).toEqual({ ...labels, method: '' });
  },
);

test.each([
  ['stalls', 408, undefined],
  ['ends early', 400, 'end'],
] as const)(
  'the gateway writes one log line for a request whose body %s, with status %d and the request id of the response',
  async (_how, status, then) => {
    const answer = await send(HEAD, then);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(await loggedLine()).toMatchObject({ request_id: requestIdIn(answer), status, method: 'POST' });
    expect(counted[0]).toMatchObject({ status, method: 'POST' });
  },
);

test('the gateway logs status 499 for a request whose client disconnects before the response', async () => {
  await send(HEAD, 'reset');
  expect(await loggedLine()).toMatchObject({ status: 499, reason: expect.stringContaining('connection was lost') });
  expect(counted[0]).toMatchObject({ status: 499 });
});

test('the gateway logs a complete request with the status of its response', async () => {
  await send('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n');
  expect(await loggedLine()).toMatchObject({ status: 415, code: 'unsupported_media_type' });
});

test('the gateway disconnects a client that does not close its connection after a broken request', async () => {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write('not http\r\n\r\n'));
  socket.on('error', () => undefined).resume();
  expect(await loggedLine()).toMatchObject({ status: 400 });
  await new Promise((resolve) => server.close(resolve));
  socket.destroy();
});

test.each(['TLS_CERT_FILE', 'TLS_KEY_FILE'])(
  'listen() rejects settings in which only %s of the two TLS files is set',
  async (name) => {
    const half = { ...settings, [name]: 'x.pem' };
    const logger = createLogger('gateway', 'silent');
    await expect(listen(() => undefined, { settings: half, logger, metrics, trustProxy })).rejects.toThrow(
      'set both TLS_CERT_FILE and TLS_KEY_FILE',
    );
  },
);

/** Opens a connection on which nothing is sent. */
function openIdle(to: Server, address = '127.0.0.1'): Socket {
  const { port } = to.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', localAddress: address });
  return socket.on('error', () => undefined).resume();
}

/** Starts a second server with these settings, which is closed after the test. */
async function listenWith(changes: Partial<GatewaySettings>, trust = trustProxy): Promise<Server> {
  const logger = createLogger('gateway', 'silent');
  const other = await listen((_request, response) => void response.end(), {
    settings: { ...settings, ...changes },
    logger,
    metrics,
    trustProxy: trust,
  });
  servers.push(other);
  return other;
}

test('a connection over MAX_CONNECTIONS is closed and counted, and a new connection is accepted after an open connection was closed', async () => {
  const limited = await listenWith({ MAX_CONNECTIONS: 3, HEADERS_TIMEOUT_MS: 60_000, REQUEST_TIMEOUT_MS: 60_000 });
  const sockets = [openIdle(limited), openIdle(limited), openIdle(limited)];
  await eventually('three connections are open', 30_000, async () => (await countConnections(limited)) === 3);
  await once(openIdle(limited), 'close');
  expect(refused).toEqual(['limit']);
  sockets.pop()?.destroy();
  await eventually('a connection is closed', 30_000, async () => (await countConnections(limited)) === 2);
  sockets.push(openIdle(limited));
  await eventually('three connections are open', 30_000, async () => (await countConnections(limited)) === 3);
  expect(refused).toEqual(['limit']);
  for (const socket of sockets) socket.destroy();
});

test('a connection over MAX_CONNECTIONS_PER_ADDRESS is closed at once, but a connection from another address is accepted', async () => {
  const limits = {
    MAX_CONNECTIONS: 10,
    MAX_CONNECTIONS_PER_ADDRESS: 2,
    HEADERS_TIMEOUT_MS: 60_000,
    REQUEST_TIMEOUT_MS: 60_000,
  };
  const limited = await listenWith(limits);
  const sockets = [openIdle(limited), openIdle(limited)];
  await eventually('two connections are open', 30_000, async () => (await countConnections(limited)) === 2);
  await once(openIdle(limited), 'close');
  expect(refused).toEqual(['address_limit']);
  const other = openIdle(limited, '127.0.0.2');
  await eventually('a third connection is open', 30_000, async () => (await countConnections(limited)) === 3);
  sockets[0]?.destroy();
  await eventually('one connection is closed', 30_000, async () => (await countConnections(limited)) === 2);
  sockets.push(openIdle(limited));
  await eventually('another connection is open', 30_000, async () => (await countConnections(limited)) === 3);
  expect(refused).toEqual(['address_limit']);
  for (const socket of [...sockets, other]) socket.destroy();
});

test('MAX_CONNECTIONS_PER_ADDRESS does not apply to a trusted proxy', async () => {
  const behind = await listenWith({ MAX_CONNECTIONS: 10, MAX_CONNECTIONS_PER_ADDRESS: 1 }, () => true);
  const sockets = [openIdle(behind), openIdle(behind), openIdle(behind)];
  await eventually('three connections are open', 30_000, async () => (await countConnections(behind)) === 3);
  for (const socket of sockets) socket.destroy();
});

test('a connection without a TLS handshake is closed after TLS_HANDSHAKE_TIMEOUT_MS, and other clients are served in the meantime', async () => {
  const folder = temporaryFolder('listen');
  const files = { TLS_CERT_FILE: join(folder, 'tls.crt'), TLS_KEY_FILE: join(folder, 'tls.key') };
  const { cert, key } = await createCertificate();
  writeFileSync(files.TLS_CERT_FILE, cert);
  writeFileSync(files.TLS_KEY_FILE, key);
  const secure = await listenWith({ ...files, MAX_CONNECTIONS_PER_ADDRESS: 5 });
  const startedAt = performance.now();
  const silent = openIdle(secure);
  const { port } = secure.address() as AddressInfo;
  const answer = await sendRequest(`https://127.0.0.1:${port}/`, { ca: cert });
  expect(answer.status).toBe(200);
  await once(silent, 'close');
  expect(performance.now() - startedAt).toBeGreaterThan(settings.TLS_HANDSHAKE_TIMEOUT_MS - 50);
  await eventually('the timeout is counted', 30_000, () => refused.length > 0);
  expect(refused).toEqual(['handshake_timeout']);
});

test('on a port without TLS, a connection without a request is closed after a timeout and not counted in the metric of refused connections', async () => {
  await once(openIdle(server), 'close');
  expect(refused).toEqual([]);
});

test.each([
  [1024 * MIB, 1_048_576, 2048],
  [8192 * MIB, 1_048_576, 16_384],
  [8192 * MIB, 1024, 448],
  [16 * MIB, 256, 64],
])('computeMaxConnections for %d bytes of memory and %d open files returns %d', (memory, files, expected) => {
  expect(computeMaxConnections(memory, files)).toBe(expected);
});

test('maxConnectionsOf returns MAX_CONNECTIONS, or a number of at least 64 if MAX_CONNECTIONS is 0', () => {
  expect(maxConnectionsOf(7)).toBe(7);
  expect(maxConnectionsOf(0)).toBeGreaterThanOrEqual(64);
});
