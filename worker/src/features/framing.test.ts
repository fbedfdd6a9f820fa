import fc from 'fast-check';
import {
  buildFraming,
  chunkSamples,
  earlySamples,
  nextWindow,
  oldestNeeded,
  samplesFor,
  windowsIn,
} from './framing.ts';

const contexts = [13, 6, 3, 1, 0];

test('buildFraming of [56, 13] returns a window of 121 frames that advances by 112, and chunks have 1,280 samples per encoder frame', () => {
  expect(buildFraming(13, 8)).toEqual({ shift: 112, window: 121, lead: 16 });
  expect(contexts.map((right) => chunkSamples(buildFraming(right, 8)))).toEqual([17_920, 8_960, 5_120, 2_560, 1_280]);
});

test('earlySamples() returns 1080 for every right context if the subsampling factor is 8', () => {
  for (const right of contexts) {
    const framing = buildFraming(right, 8);
    expect(earlySamples(framing)).toBe(1080);
    expect(windowsIn(framing, 3 * chunkSamples(framing) - 1080)).toBe(3);
    expect(windowsIn(framing, 3 * chunkSamples(framing) - 1081)).toBe(2);
  }
});

test('windowsIn returns exactly the number of windows that can run without a flush', () => {
  fc.assert(
    fc.property(fc.constantFrom(...contexts), fc.nat(200_000), (right, samples) => {
      const framing = buildFraming(right, 8);
      const windows = windowsIn(framing, samples);
      expect(samplesFor(framing, windows)).toBeLessThanOrEqual(samples);
      expect(samplesFor(framing, windows + 1)).toBeGreaterThan(samples);
      expect(nextWindow(framing, windows, samples, false).kind).toBe('wait');
    }),
  );
});

test('nextWindow assigns every frame of the audio before a flush to exactly one window', () => {
  fc.assert(
    fc.property(fc.constantFrom(...contexts), fc.nat(100_000), (right, samples) => {
      const framing = buildFraming(right, 8);
      let [k, frames] = [0, -framing.lead + framing.window - framing.shift];
      for (
        let next = nextWindow(framing, k, samples, true);
        next.kind === 'run';
        next = nextWindow(framing, ++k, samples, true)
      ) {
        frames += next.length - (framing.window - framing.shift);
        expect(next.last).toBe(nextWindow(framing, k + 1, samples, true).kind === 'end');
      }
      if (samples >= 160) expect(frames).toBe(Math.floor(samples / 160));
      else expect(k).toBe(0);
    }),
  );
});

test('oldestNeeded returns 0 for window 0, and for window 3 a sample that is after the one of window 2 and before the end of window 3', () => {
  for (const right of contexts) {
    const framing = buildFraming(right, 8);
    expect(oldestNeeded(framing, 0)).toBe(0);
    expect(oldestNeeded(framing, 3)).toBeGreaterThan(oldestNeeded(framing, 2));
    expect(oldestNeeded(framing, 3)).toBeLessThan(samplesFor(framing, 3));
  }
});
