import type { Stream } from '../stream/stream.ts';
import { FileClient } from './file-client.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Creates a client with parts of the given sizes, and a stream that records what it receives. */
function createFile(sizes: readonly number[]) {
  let value = 0;
  const parts = sizes.map((size) => Buffer.from(Array.from({ length: size }, () => value++ % 251)));
  const all = Buffer.concat(parts);
  const received: Buffer[] = [];
  const texts: string[] = [];
  const client = new FileClient(parts);
  const stream = {
    receive: (data: Buffer, isBinary: boolean) => (isBinary ? received.push(data) : texts.push(data.toString())),
    onClosed: () => texts.push('closed'),
  } as unknown as Stream;
  client.start(stream);
  return { client, all, received, texts };
}

const READY = { type: 'ready' } as never;

test('FileClient sends whole samples in frames of at most 65,536 bytes, and then one flush', async () => {
  const { client, all, received, texts } = createFile([1, 65_536, 3, 100_001, 1, 2]);
  expect(received).toEqual([]);
  client.send(READY);
  await nextTurn();
  expect(Buffer.concat(received).equals(all)).toBe(true);
  for (const { length } of received) expect([length % 2, length <= 65_536]).toEqual([0, true]);
  expect(texts).toEqual(['{"type":"flush"}']);
});

test('FileClient sends nothing while the stream does not read, and continues afterwards', async () => {
  const { client, all, received, texts } = createFile([4000, 4000]);
  client.read(false);
  client.send(READY);
  await nextTurn();
  expect(received).toEqual([]);
  client.read(true);
  await nextTurn();
  expect(Buffer.concat(received).equals(all)).toBe(true);
  expect(texts).toHaveLength(1);
});

test('FileClient is complete only after the final of all audio, and then closes the stream', async () => {
  const { client, texts } = createFile([4000]);
  client.send({ type: 'final' } as never);
  expect(client.isComplete).toBe(false);
  client.send(READY);
  await nextTurn();
  expect(client.isComplete).toBe(true);
  expect(texts).toContain('closed');
});
