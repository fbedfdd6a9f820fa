import { joinRecordings, trimSilence } from './long-audio.ts';

const SECONDS = 20;
const samplesOf = (audio: Buffer) => new Int16Array(audio.buffer, audio.byteOffset, audio.length / 2);

/** Returns the length of the longest run of zeros, in milliseconds. */
function longestSilenceMs(samples: Int16Array): number {
  let [run, longest] = [0, 0];
  for (const sample of samples) {
    run = sample === 0 ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest / 16;
}

test.each([0, 600])('joinRecordings returns audio of exactly the requested length, with pauses of %d ms', (pauseMs) => {
  const audio = joinRecordings({ seconds: SECONDS, pauseMs });
  expect(audio).toHaveLength(SECONDS * 32_000);
  const silenceMs = longestSilenceMs(samplesOf(audio));
  expect(silenceMs).toBeGreaterThanOrEqual(pauseMs);
  expect(silenceMs).toBeLessThan(pauseMs + 300);
});

test('trimSilence removes silence from both ends only', () => {
  const speech = new Int16Array(1600).fill(5000);
  const samples = Int16Array.from([
    ...new Int16Array(320),
    ...speech,
    ...new Int16Array(480),
    ...speech,
    ...new Int16Array(160),
  ]);
  expect(trimSilence(samples)).toEqual(samples.subarray(320, 320 + 1600 + 480 + 1600));
});
