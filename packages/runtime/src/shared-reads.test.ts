import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { createCertificate } from '../../../test/support/certificate.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readIntoSharedMemory } from './shared-reads.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Returns both ends of a connection to a server. The second end is the one that the server has accepted. */
async function pair(server: Server, event: 'connection' | 'secureConnection', open: (port: number) => Socket) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = open((server.address() as AddressInfo).port);
  const [accepted] = (await once(server, event)) as [Socket];
  server.close();
  sockets.push(client, accepted);
  return [client, accepted] as const;
}

const tcpPair = () => pair(createServer(), 'connection', (port) => connect(port, '127.0.0.1'));

async function tlsPair() {
  const { cert, key } = await createCertificate();
  return pair(createTlsServer({ cert, key }), 'secureConnection', (port) => {
    return connectTls({ port, host: '127.0.0.1', ca: cert });
  });
}

/** Collects the bytes that a socket reads into shared memory, and those of its `data` events. */
function collect(socket: Duplex) {
  const [read, data]: [Buffer[], Buffer[]] = [[], []];
  const isShared = readIntoSharedMemory(socket, (bytes) => read.push(Buffer.from(bytes)));
  socket.on('data', (bytes: Buffer) => data.push(bytes));
  const lengthOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, { length }) => sum + length, 0);
  return { isShared, read, data, until: (bytes: number) => until(`${bytes} bytes`, () => lengthOf(read) >= bytes) };
}

const until = (what: string, check: () => boolean) => eventually(what, 30_000, check);

describe.each([
  ['TCP', tcpPair],
  ['TLS', tlsPair],
])('readIntoSharedMemory on a %s socket', (_name, open) => {
  test('passes the received bytes to the callback, complete and in order, and causes no data events', async () => {
    const [client, accepted] = await open();
    const { isShared, read, data, until: untilRead } = collect(accepted);
    const sent = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, i) => i % 251));
    client.write(sent);
    await untilRead(sent.length);
    expect(isShared).toBe(true);
    expect(Buffer.concat(read).equals(sent)).toBe(true);
    expect(data).toEqual([]);
  });

  test('does not change how the socket pauses, resumes and ends', async () => {
    const [client, accepted] = await open();
    const { read, until: untilRead } = collect(accepted);
    client.write('one');
    await untilRead(3);
    accepted.pause();
    client.write('two');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(Buffer.concat(read).toString()).toBe('one');
    const ended = once(accepted, 'end');
    accepted.resume();
    client.end('three');
    await ended;
    expect(Buffer.concat(read).toString()).toBe('onetwothree');
  });
});

test('bytes that a socket received before the call of readIntoSharedMemory still cause data events', async () => {
  const [client, accepted] = await tcpPair();
  accepted.unshift(Buffer.from('head'));
  const { read, data, until: untilRead } = collect(accepted);
  client.write('next');
  await untilRead(4);
  expect([Buffer.concat(data).toString(), Buffer.concat(read).toString()]).toEqual(['head', 'next']);
});

test('readIntoSharedMemory returns false for a stream in memory, whose bytes then cause data events', async () => {
  const stream = new Duplex({ read: () => undefined });
  const { isShared, read, data } = collect(stream);
  stream.push('bytes');
  await until('a data event', () => data.length > 0);
  expect([isShared, read, Buffer.concat(data).toString()]).toEqual([false, [], 'bytes']);
});
