import fc from 'fast-check';
import { AudioRing, createSharedBuffers, Gauges, RING_SAMPLES } from './shared.ts';

test('AudioRing returns the samples that were written, however they were split, and accepts no more than it has room for', () => {
  const step = fc.record({ write: fc.nat(50_000), keep: fc.nat(RING_SAMPLES) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const shared = createSharedBuffers(2);
      const [writer, reader] = [new AudioRing(shared, 1), new AudioRing(shared, 1)];
      let next = 0;
      for (const { write, keep } of steps) {
        const room = RING_SAMPLES - (next - reader.consumed);
        const taken = writer.write(Int16Array.from({ length: write }, (_, i) => (next + i) % 30_011));
        expect(taken).toBe(Math.min(write, room));
        next += taken;
        expect(reader.written).toBe(next);
        const kept = new Int16Array(next - reader.consumed + 2);
        reader.read(reader.consumed, next - reader.consumed, kept, 1);
        for (let n = reader.consumed; n < next; n += 997) {
          expect(reader.samples[reader.base + (n & reader.mask)]).toBe(n % 30_011);
          expect(kept[n - reader.consumed + 1]).toBe(n % 30_011);
        }
        expect([kept[0], kept.at(-1)]).toEqual([0, 0]);
        reader.consume(Math.max(reader.consumed, next - keep));
      }
      expect(new AudioRing(shared, 0).written).toBe(0);
    }),
    { numRuns: 20 },
  );
});

test('AudioRing uses only the memory of its own slot, even if the memory of all slots exceeds 4 GiB', () => {
  // The kernel allocates only those memory pages that a program writes, so this test needs little memory.
  const shared = createSharedBuffers(32_769);
  const [low, high] = [0, 32_768].map((slot) => new AudioRing(shared, slot)) as [AudioRing, AudioRing];
  high.write(Int16Array.of(1, 2, 3));
  expect(high.samples[high.base + 2]).toBe(3);
  expect(low.samples[low.base + 2]).toBe(0);
  const out = new Int16Array(3);
  high.read(0, 3, out, 0);
  expect([...out]).toEqual([1, 2, 3]);
});

test('AudioRing continues to count samples after its 32-bit positions wrap around', () => {
  const shared = createSharedBuffers(1);
  const [writer, reader] = [new AudioRing(shared, 0), new AudioRing(shared, 0)];
  // A multiple of the ring size, just below the largest position that 32 bits can store.
  const before = 2 ** 31 - RING_SAMPLES;
  new Int32Array(shared.positions).fill(before, 0, 2);
  expect([writer.written, reader.consumed]).toEqual([before, before]);
  const audio = Int16Array.from({ length: 40_000 }, (_, i) => i % 1000);
  for (let end = before; end < 2 ** 31 + RING_SAMPLES;) {
    expect(writer.write(audio)).toBe(audio.length);
    end += audio.length;
    expect(reader.written).toBe(end);
    const out = new Int16Array(audio.length);
    reader.read(end - audio.length, audio.length, out, 0);
    expect(out).toEqual(audio);
    reader.consume(end);
    expect(writer.consumed).toBe(end);
  }
});

test('Gauges add up the figures of all runs, and tick() increases the progress counter by 1', () => {
  const gauges = new Gauges(createSharedBuffers(1));
  const run = { windows: 4, runCpuMs: 2, runMs: 3, waitMs: 5, copyInMs: 0.5, computeMs: 1, copyOutMs: 0.25, hostMs: 2 };
  gauges.addRun(run);
  gauges.addRun({ ...run, windows: 2, waitMs: 1 });
  gauges.tick();
  const times = { runCpuMs: 4, runMs: 6, waitMs: 6, copyInMs: 1, computeMs: 2, copyOutMs: 0.5, hostMs: 4 };
  expect(gauges.stats).toEqual({ runs: 2, windows: 6, ...times });
  expect(gauges.progress).toBe(1);
});
