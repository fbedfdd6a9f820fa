import type { FinalMessage } from '@svc-asr/core';
import type { Stream } from '../stream/stream.ts';
import { FileClient } from './file-client.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Creates a client with frames of the given sizes, and a stream that records its input. */
function createFile(
  sizes: readonly number[],
  { error, onAudio, isLong = false }: { error?: Error; onAudio?: () => void; isLong?: boolean } = {},
) {
  const parts = sizes.map((size, at) => Buffer.alloc(size, `frame ${at} `));
  const all = Buffer.concat(parts);
  const requested: Buffer[] = [];
  const next = (): Promise<IteratorResult<Buffer, undefined>> => {
    const value = parts[requested.length];
    if (value !== undefined) requested.push(value);
    if (value === undefined && error !== undefined) return Promise.reject(error);
    return Promise.resolve(value === undefined ? { done: true, value } : { done: false, value });
  };
  const received: Buffer[] = [];
  const texts: string[] = [];
  const client = new FileClient({ next }, { isLong });
  const stream = {
    receive: (data: Buffer, isBinary: boolean) => {
      if (!isBinary) return texts.push(data.toString());
      received.push(data);
      return onAudio?.();
    },
    onClosed: () => texts.push('closed'),
    onPong: () => texts.push('pong'),
    fail: (code: string) => texts.push(code),
  } as unknown as Stream;
  client.start(stream);
  return { client, all, requested, received, texts };
}

const READY = { type: 'ready' } as never;

test('FileClient sends all frames and then one flush', async () => {
  const { client, all, received, texts } = createFile([2, 65_536, 4]);
  expect(received).toEqual([]);
  client.send(READY);
  await nextTurn();
  await nextTurn();
  expect(Buffer.concat(received).equals(all)).toBe(true);
  expect(texts).toEqual(['{"type":"flush"}']);
});

test('FileClient requests no frame while its stream does not read audio, and continues when the stream reads again', async () => {
  const { client, all, requested, received, texts } = createFile([4000, 4000, 4000], {
    onAudio: () => received.length === 1 && client.read(false),
  });
  client.send(READY);
  await nextTurn();
  await nextTurn();
  // The second frame was requested before the stream stopped reading, and is not sent yet.
  expect([requested.length, received.length]).toEqual([2, 1]);
  client.read(true);
  await nextTurn();
  await nextTurn();
  expect(Buffer.concat(received).equals(all)).toBe(true);
  expect(texts).toHaveLength(1);
});

test('FileClient sends the flush in the same turn of the event loop as the last audio', async () => {
  let order: string[] = [];
  const { client, texts } = createFile([4000, 4000], { onAudio: () => queueMicrotask(() => (order = [...texts])) });
  client.send(READY);
  await nextTurn();
  await nextTurn();
  expect(order).toEqual(['{"type":"flush"}']);
});

test('FileClient requests no frame of the file after read(false)', async () => {
  const { client, requested } = createFile([4000]);
  client.read(false);
  client.send(READY);
  await nextTurn();
  expect(requested).toEqual([]);
});

test('FileClient ends its stream with internal_error if the decoder fails, so that the stream is free of charge', async () => {
  const { client, texts } = createFile([4000], { error: new Error('the decoder ended') });
  client.send(READY);
  await nextTurn();
  await nextTurn();
  expect(texts).toEqual(['internal_error']);
  expect(client.isComplete).toBe(false);
});

test('FileClient.isComplete is true only after the final that answers its flush, and FileClient then closes the stream', async () => {
  const { client, texts } = createFile([4000]);
  client.send(READY);
  client.send({ type: 'final', endpoint: true, audio_end_ms: 0 } as never);
  await nextTurn();
  await nextTurn();
  client.send({ type: 'final', endpoint: true, audio_end_ms: 0 } as never);
  expect([client.isComplete, texts]).toEqual([false, ['{"type":"flush"}']]);
  client.send({ type: 'final' } as never);
  await nextTurn();
  expect(client.isComplete).toBe(true);
  expect(texts).toContain('closed');
});

test('FileClient of a long file turns on endpointing before it sends audio', () => {
  const { texts } = createFile([4000], { isLong: true });
  expect(texts).toEqual(['{"type":"config","endpointing":{"silence_ms":1000}}']);
});

describe('FileClient of a file of 240 s and one sample', () => {
  const MINUTE = 60 * 32_000;
  const sizes = [MINUTE, MINUTE, MINUTE, MINUTE, 2];
  const finalOf = (audio_end_ms: number, endpoint?: true) =>
    ({ type: 'final', audio_end_ms, endpoint }) as unknown as FinalMessage;

  test('with isLong and without pauses, flushes before 240 s of audio and at the end, and is complete only after both finals', async () => {
    const { client, texts } = createFile(sizes, { isLong: true, onAudio: () => texts.push('audio') });
    client.send(READY);
    await nextTurn();
    await nextTurn();
    const flush = '{"type":"flush"}';
    // The fourth minute is sent in three parts. It is divided where the search for the quiet moment starts, and at the
    // quiet moment itself.
    const audio = Array.from({ length: 5 }, () => 'audio');
    expect(texts.slice(1)).toEqual([...audio, flush, 'audio', 'audio', flush]);
    client.send(finalOf(240_000));
    await nextTurn();
    expect(client.isComplete).toBe(false);
    client.send(finalOf(240_001));
    await nextTurn();
    expect([client.isComplete, texts.at(-1)]).toEqual([true, 'closed']);
  });

  test('with isLong, flushes only at the end of the file if less than 240 s of audio follow the last pause', async () => {
    const { client, received, texts } = createFile(sizes, {
      isLong: true,
      onAudio: () => received.length === 4 && client.send(finalOf(1, true)),
    });
    client.send(READY);
    await nextTurn();
    await nextTurn();
    expect(texts).toEqual([texts[0], '{"type":"flush"}']);
  });

  test('without isLong, flushes only at the end of the file', async () => {
    const { client, texts } = createFile(sizes);
    client.send(READY);
    await nextTurn();
    await nextTurn();
    expect(texts).toEqual(['{"type":"flush"}']);
  });
});

test('FileClient answers a ping with a pong and a keepalive, and fails its stream at the time limit', async () => {
  const { client, texts } = createFile([4000]);
  client.ping();
  client.onTimeLimit();
  await nextTurn();
  expect(texts).toEqual(['pong', '{"type":"keepalive"}', 'internal_error']);
});
