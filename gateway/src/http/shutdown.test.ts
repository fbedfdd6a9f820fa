import { Agent, createServer } from 'node:http';
import type { Server } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { send } from '../../../test/support/answer.ts';
import { ConnectionAge } from '../server/connection-age.ts';
import { closeConnections } from './shutdown.ts';

const MAX_AGE_MS = 1000;

let nowMs: number;
let server: Server;
let agent: Agent;

/** Starts a server that responds with the port of the client, and accepts every upgrade. */
async function start(maxAgeMs: number): Promise<void> {
  nowMs = 0;
  const app = express();
  const shutdown = { announced: false, closed: false };
  app.use(closeConnections(shutdown, new ConnectionAge(maxAgeMs, () => nowMs)));
  app.all('/', (request, response) => {
    const { remotePort } = request.socket;
    request.resume().on('end', () => response.json(remotePort));
  });
  server = createServer(app);
  server.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.on('data', (data: Buffer) => socket.write(data));
    socket.on('end', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
}

const portOf = () => (server.address() as AddressInfo).port;

/** Sends a request. Returns the Connection header of the response and the port of the client's connection. */
async function request(): Promise<{ connection: string | undefined; port: unknown }> {
  const { headers, body } = await send(`http://127.0.0.1:${portOf()}/`, { agent });
  return { connection: headers.connection, port: body };
}

afterEach(() => {
  agent.destroy();
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

test('closeConnections keeps a connection for at least half of the maximum age, and closes the connection after the first response that follows the maximum age', async () => {
  await start(MAX_AGE_MS);
  const first = await request();
  nowMs = MAX_AGE_MS / 2 - 1;
  expect(await request()).toEqual({ connection: 'keep-alive', port: first.port });
  nowMs = MAX_AGE_MS;
  expect(await request()).toEqual({ connection: 'close', port: first.port });
  const next = await request();
  expect(next.connection).toBe('keep-alive');
  expect(next.port).not.toBe(first.port);
});

test('closeConnections sends the whole response to a request whose body arrives after the connection has reached its maximum age', async () => {
  await start(MAX_AGE_MS);
  const socket = connect(portOf(), '127.0.0.1');
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n';
  socket.write(`${head}1234`);
  await once(socket, 'data');
  nowMs = MAX_AGE_MS;
  received = '';
  socket.write(`${head}12`);
  await once(server, 'request');
  socket.write('34');
  await once(socket, 'close');
  expect(received).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(received).toMatch(/\r\nConnection: close\r\n/i);
  expect(received).toMatch(/\r\n\r\n\d+$/);
});

test('closeConnections does not close a connection that became a WebSocket, whatever its age is', async () => {
  await start(MAX_AGE_MS);
  const socket = connect(portOf(), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  nowMs = 10 * MAX_AGE_MS;
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 101 /);
  await request();
  socket.write('still open');
  const [echo] = (await once(socket, 'data')) as [Buffer];
  expect(echo.toString()).toBe('still open');
  socket.destroy();
});

test('closeConnections keeps connections of any age if the maximum age is 0', async () => {
  await start(0);
  const first = await request();
  nowMs = 1e9;
  expect(await request()).toEqual({ connection: 'keep-alive', port: first.port });
});

test('ConnectionAge gives each connection a random limit between half of the maximum age and the maximum age', () => {
  nowMs = 0;
  const age = new ConnectionAge(MAX_AGE_MS, () => nowMs);
  const requests = Array.from({ length: 1000 }, () => ({ socket: {} }) as Parameters<typeof age.isExceeded>[0]);
  const countExceeded = () => requests.filter((one) => age.isExceeded(one)).length;
  expect(countExceeded()).toBe(0);
  nowMs = MAX_AGE_MS / 2 - 1;
  expect(countExceeded()).toBe(0);
  nowMs = 0.75 * MAX_AGE_MS;
  expect(countExceeded()).toBeGreaterThan(300);
  expect(countExceeded()).toBeLessThan(700);
  nowMs = MAX_AGE_MS;
  expect(countExceeded()).toBe(1000);
});
