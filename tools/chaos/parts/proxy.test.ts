import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from '../../../test/support/eventually.ts';
import { startProxy } from './proxy.ts';
import type { Proxy } from './proxy.ts';

const WITHIN_MS = 30_000;
const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
let proxy: Proxy;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = await startProxy((server.address() as AddressInfo).port);
});
afterEach(() => proxy.set('open'));
afterAll(async () => {
  await proxy.stop();
  server.close();
});

/** A connection through the proxy to a server that sends everything back. */
class Client {
  received = '';
  isClosed = false;
  readonly #socket: Socket;

  constructor(port = proxy.port) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('data', (data) => (this.received += data.toString()));
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => (this.isClosed = true));
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  async receives(text: string): Promise<void> {
    await eventually(`"${text}" instead of "${this.received}"`, WITHIN_MS, () => this.received === text);
  }

  async closes(): Promise<void> {
    await eventually('the connection is closed', WITHIN_MS, () => this.isClosed);
  }

  end(): void {
    this.#socket.destroy();
  }
}

test('an open proxy passes data in both directions', async () => {
  const client = new Client();
  client.send('hello');
  await client.receives('hello');
  client.end();
});

test('a stalled proxy holds data back, and delivers the data in order when the proxy is open again', async () => {
  const client = new Client();
  client.send('1');
  await client.receives('1');
  proxy.set('stall');
  client.send('23');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(client.received).toBe('1');
  client.send('45');
  proxy.set('open');
  await client.receives('12345');
  client.end();
});

test('a proxy with a delay passes data in order', async () => {
  const client = new Client();
  proxy.set(30);
  const parts = Array.from({ length: 50 }, (_, at) => `${at},`);
  for (const part of parts) {
    client.send(part);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  proxy.set('open');
  client.send('end');
  await client.receives(`${parts.join('')}end`);
  client.end();
});

test('a proxy in the mode "cut" closes open connections and refuses new ones', async () => {
  const client = new Client();
  client.send('a');
  await client.receives('a');
  proxy.set('cut');
  await client.closes();
  const second = new Client();
  await second.closes();
  expect(second.received).toBe('');
});

test('drop() of a proxy closes open connections, and new connections work', async () => {
  const client = new Client();
  client.send('a');
  await client.receives('a');
  proxy.drop();
  await client.closes();
  const second = new Client();
  second.send('b');
  await second.receives('b');
  second.end();
});

test('a proxy with a rewrite changes what the server sends, and nothing else', async () => {
  const { port } = server.address() as AddressInfo;
  const changing = await startProxy(port, (data) => Buffer.from(`<${data.toString()}>`));
  const client = new Client(changing.port);
  client.send('a');
  await client.receives('<a>');
  client.end();
  await changing.stop();
});
