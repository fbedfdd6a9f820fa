import type { InputFormat } from './input-format.ts';
import { Operations } from './operations.ts';

const PCM: InputFormat = { type: 'audio/pcm', rate: 24_000 };
const G711: InputFormat = { type: 'audio/pcmu' };

function audio(bytes: Buffer, format = PCM) {
  return { type: 'audio', bytes, format } as const;
}

/** Removes all operations and returns them. */
function takeAll(operations: Operations) {
  const all = [];
  for (let next = operations.shift(); next !== undefined; next = operations.shift()) all.push(next);
  return all;
}

describe('Operations', () => {
  test('joins small parts of audio to blocks of at most 64 KiB and keeps their bytes', () => {
    const operations = new Operations();
    const sent = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, at) => at % 251));
    for (let at = 0; at < sent.length; at += 2) operations.push(audio(sent.subarray(at, at + 2)));
    expect([operations.length, operations.audioBytes]).toEqual([4, 200_000]);
    const blocks = takeAll(operations).map((step) => ('bytes' in step ? step.bytes : Buffer.alloc(0)));
    expect(Math.max(...blocks.map(({ length }) => length))).toBe(65_536);
    expect(Buffer.concat(blocks).equals(sent)).toBe(true);
    expect(operations.audioBytes).toBe(0);
  });

  test('does not join audio to earlier audio in another format or to audio before a commit', () => {
    const operations = new Operations();
    const part = Buffer.alloc(2);
    for (const step of [audio(part), audio(part, G711), { type: 'flush' } as const, audio(part, G711)]) {
      operations.push(step);
    }
    expect(takeAll(operations)).toEqual([audio(part), audio(part, G711), { type: 'flush' }, audio(part, G711)]);
  });

  test('appends new audio to the remaining audio of an operation, and does not overwrite audio that was already taken out', () => {
    const operations = new Operations();
    for (const byte of [1, 2]) operations.push(audio(Buffer.from([byte, byte])));
    const taken = operations.shift();
    if (taken === undefined || !('bytes' in taken)) throw new Error('the first step is no audio');
    operations.unshift(audio(taken.bytes.subarray(2)));
    operations.push(audio(Buffer.from([3, 3])));
    expect(takeAll(operations)).toEqual([audio(Buffer.from([2, 2, 3, 3]))]);
    expect([...taken.bytes]).toEqual([1, 1, 2, 2]);
  });

  test('dropLastAudio removes the audio after the last commit and returns its number of samples at 16 kHz', () => {
    const operations = new Operations();
    const part = Buffer.alloc(40_000);
    operations.push(audio(part));
    operations.push({ type: 'flush' });
    for (let i = 0; i < 3; i++) operations.push(audio(part));
    expect(operations.dropLastAudio()).toBe(40_000);
    expect([operations.length, operations.audioBytes]).toEqual([2, 40_000]);
  });

  test('clear() removes all operations', () => {
    const operations = new Operations();
    for (let i = 0; i < 3; i++) operations.push(audio(Buffer.alloc(2)));
    operations.push({ type: 'flush' });
    operations.clear();
    operations.push(audio(Buffer.from([1, 2])));
    expect(operations.audioBytes).toBe(2);
    expect(takeAll(operations)).toEqual([audio(Buffer.from([1, 2]))]);
  });
});
