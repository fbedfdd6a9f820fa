import fc from 'fast-check';
import { bytesOf, createFramer } from './frames.ts';

test('createFramer cuts audio into frames of whole samples up to the maximum size', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 300 })),
      fc.integer({ min: 2, max: 101 }),
      (pieces, maxFrameBytes) => {
        const framer = createFramer();
        const frames = pieces.flatMap((piece) => framer.cut(bytesOf(piece), maxFrameBytes));
        for (const { length } of frames) {
          expect(length % 2).toBe(0);
          expect(length).toBeGreaterThan(0);
          expect(length).toBeLessThanOrEqual(maxFrameBytes);
        }
        const given = pieces.flatMap((piece) => [...piece]);
        expect(frames.flatMap((frame) => [...frame])).toEqual(given.slice(0, given.length - (given.length % 2)));
      },
    ),
  );
});

test('Framer.drop drops the half sample at the end of an utterance', () => {
  const framer = createFramer();
  framer.cut(bytesOf(Uint8Array.of(1, 2, 3)), 100);
  framer.drop();
  expect(framer.cut(bytesOf(Uint8Array.of(4, 5)), 100)).toEqual([Uint8Array.of(4, 5)]);
});

test('bytesOf copies samples to bytes in little-endian order', () => {
  const samples = Int16Array.of(1, -2, 0x1234).subarray(1);
  const bytes = bytesOf(samples);
  samples.fill(0);
  expect([...bytes]).toEqual([0xfe, 0xff, 0x34, 0x12]);
  const buffer = Uint8Array.of(1, 2).buffer;
  const copy = bytesOf(buffer);
  new Uint8Array(buffer).fill(9);
  expect([...copy]).toEqual([1, 2]);
});

test('bytesOf refuses values that are not PCM16 audio', () => {
  expect(() => bytesOf(Float32Array.of(1) as unknown as Int16Array)).toThrow('Int16Array, a Uint8Array');
});
