import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { connectRedis } from './connect.ts';
import { LedgerUnavailable } from './link.ts';
import { createReplyPacer } from './reply-pacer.ts';
import { within } from './within.ts';

test('within() settles like the given promise, or rejects with LedgerUnavailable after the timeout', async () => {
  expect(await within(Promise.resolve(1), 1000)).toBe(1);
  await expect(within(Promise.reject(new Error('no')), 1000)).rejects.toThrow('no');
  await expect(within(new Promise(() => undefined), 20)).rejects.toThrow(LedgerUnavailable);
});

test('within() accepts an answer that arrived in time while the process was blocked', async () => {
  let isAnswered: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => (isAnswered = resolve));
  const server = createServer((socket) => socket.on('data', () => socket.write('late', () => isAnswered())));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
  const result = within(answer, 30);
  socket.write('ask');
  // The answer is in the socket. The process is blocked before it can read the answer.
  await answered;
  const until = performance.now() + 60;
  while (performance.now() < until);
  expect(await result).toBe('late');
  socket.destroy();
  server.close();
});

test('within() accepts an answer that arrived in time but that the reply pacer delivers after the timeout', async () => {
  const pacer = createReplyPacer(1);
  const answers = Array.from({ length: 5 }, (_, i) => {
    const work = new Promise<number>((resolve) => setTimeout(() => resolve(i), 20));
    return within(work, 30, pacer);
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  const until = performance.now() + 60;
  while (performance.now() < until);
  expect(await Promise.all(answers)).toEqual([0, 1, 2, 3, 4]);
});

test('a Redis link that is not connected rejects a command immediately', async () => {
  const link = connectRedis({ url: 'redis://127.0.0.1:1', name: 'test', timeoutMs: 1000 });
  await expect(link.send('k', ['GET', 'k'])).rejects.toThrow('there is no connection to Redis');
  expect(link.ready).toBe(false);
  await link.close();
});
