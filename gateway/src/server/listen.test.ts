import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createLogger } from '@svc-asr/runtime';
import { openExchange } from '../http/exchange.ts';
import { answerErrors } from '../http/errors.ts';
import { jsonBody } from '../http/json-body.ts';
import { observe } from '../http/observe.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { GatewaySettings } from '../settings.ts';
import { listen } from './listen.ts';

type Line = Record<string, unknown>;

const settings = {
  HOST: '127.0.0.1',
  PORT: 0,
  TLS_CERT_FILE: '',
  TLS_KEY_FILE: '',
  HEADERS_TIMEOUT_MS: 300,
  REQUEST_TIMEOUT_MS: 300,
  KEEP_ALIVE_MS: 1000,
} as GatewaySettings;

let server: Server;
let lines: Line[];
let counted: Line[];

const metrics = {
  requests: { add: (_amount: number, labels: Line) => counted.push(labels) },
  requestSeconds: { record: () => undefined },
} as unknown as GatewayMetrics;

beforeEach(async () => {
  [lines, counted] = [[], []];
  const logger = createLogger('gateway', 'info', { write: (line) => lines.push(JSON.parse(line) as Line) });
  const app = express();
  app.use(openExchange, observe(logger, metrics));
  app.post('/', jsonBody, (_request, response) => void response.json({}));
  app.use(answerErrors(logger));
  server = await listen(app, settings, logger, metrics);
});

afterEach(() => server.close());

/**
 * Sends bytes, then ends or resets the connection if `then` is set. Returns what was received until the connection
 * closed.
 */
async function send(bytes: string, then?: 'reset' | 'end'): Promise<string> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(bytes));
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
    if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 100);
    if (then === 'end') setTimeout(() => socket.end(), 100);
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
  'a %d response to a request without a route is logged and counted under its own request id',
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
  'a request whose body %s is logged once, with status %d and the request id of the response',
  async (_how, status, then) => {
    const answer = await send(HEAD, then);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(await loggedLine()).toMatchObject({ request_id: requestIdIn(answer), status, method: 'POST' });
    expect(counted[0]).toMatchObject({ status, method: 'POST' });
  },
);

test('a request whose client disconnects before the response is logged with status 499', async () => {
  await send(HEAD, 'reset');
  expect(await loggedLine()).toMatchObject({ status: 499, reason: expect.stringContaining('connection was lost') });
  expect(counted[0]).toMatchObject({ status: 499 });
});

test('a complete request is logged with the status of its response', async () => {
  await send('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n');
  expect(await loggedLine()).toMatchObject({ status: 415, code: 'unsupported_media_type' });
});

test('a client that does not close its connection after a broken request is disconnected', async () => {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write('not http\r\n\r\n'));
  socket.on('error', () => undefined).resume();
  expect(await loggedLine()).toMatchObject({ status: 400 });
  await new Promise((resolve) => server.close(resolve));
  socket.destroy();
});

test.each(['TLS_CERT_FILE', 'TLS_KEY_FILE'])(
  'listen rejects settings with only %s of the two TLS files',
  async (name) => {
    const half = { ...settings, [name]: 'x.pem' };
    const logger = createLogger('gateway', 'silent');
    await expect(listen(() => undefined, half, logger, metrics)).rejects.toThrow(
      'set both TLS_CERT_FILE and TLS_KEY_FILE',
    );
  },
);
