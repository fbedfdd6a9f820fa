import { AudioBuffer } from './audio-buffer.ts';

async function readAll(buffer: AudioBuffer): Promise<number[]> {
  const lengths: number[] = [];
  for await (const pcm of buffer.read()) lengths.push(pcm.length);
  return lengths;
}

test('the buffer of a microphone accepts audio until the buffer is full, and ends only after it has delivered all accepted audio', async () => {
  const buffer = new AudioBuffer(1);
  expect(buffer.push(new Int16Array(8000))).toBe(true);
  expect(buffer.push(new Int16Array(8000))).toBe(true);
  buffer.end();
  expect(await readAll(buffer)).toEqual([8000, 8000]);
});

test('the buffer of a microphone delivers the audio that fits, and then fails with buffer_full', async () => {
  const buffer = new AudioBuffer(1);
  buffer.push(new Int16Array(16_000));
  expect(buffer.push(new Int16Array(1))).toBe(false);
  expect(buffer.push(new Int16Array(1))).toBe(true);
  const reader = buffer.read();
  expect((await reader.next()).value).toHaveLength(16_000);
  await expect(reader.next()).rejects.toMatchObject({ code: 'buffer_full', message: expect.stringContaining('1 s') });
});

test('the buffer of a microphone has room again after audio was read', async () => {
  const buffer = new AudioBuffer(1);
  buffer.push(new Int16Array(16_000));
  const reader = buffer.read();
  await reader.next();
  expect(buffer.push(new Int16Array(16_000))).toBe(true);
  expect((await reader.next()).value).toHaveLength(16_000);
});
