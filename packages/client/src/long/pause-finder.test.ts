import { PauseFinder } from './pause-finder.ts';

const RATE = 16_000;

/** Returns noise of an amplitude, as bytes. The noise is the same in each run of the test. */
function noise(seconds: number, amplitude: number): Uint8Array<ArrayBuffer> {
  const samples = new Int16Array(seconds * RATE);
  let state = 1;
  for (let at = 0; at < samples.length; at++) {
    state = (state * 48_271) % 2_147_483_647;
    samples[at] = Math.round((state / 2_147_483_647 - 0.5) * 2 * amplitude);
  }
  return new Uint8Array(samples.buffer);
}

function quietMsAfter(...parts: Uint8Array<ArrayBuffer>[]): number {
  const finder = new PauseFinder();
  for (const part of parts) finder.push(part);
  return finder.quietMs;
}

test('PauseFinder.quietMs is the length of digital silence, and 0 during speech', () => {
  expect(quietMsAfter(noise(2, 8000), new Uint8Array(RATE))).toBe(500);
  expect(quietMsAfter(noise(2, 8000), new Uint8Array(RATE), noise(1, 8000))).toBe(0);
});

test('PauseFinder finds a pause in background noise', () => {
  expect(quietMsAfter(noise(1, 400), noise(2, 8000), noise(0.5, 400))).toBe(500);
});

test('PauseFinder finds no pause in audio whose level does not change', () => {
  expect(quietMsAfter(noise(30, 8000))).toBe(0);
});

test('PauseFinder finds the same pause if the audio arrives in small pieces', () => {
  const audio = noise(1, 8000);
  const pieces = Array.from({ length: 320 }, (_, at) => audio.slice(at * 100, (at + 1) * 100));
  expect(quietMsAfter(...pieces, new Uint8Array(6400), new Uint8Array(2))).toBe(200);
});
