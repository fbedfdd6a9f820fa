import { isUsable } from './gather.ts';
import { Utterance } from './utterance.ts';

const SIZE = { chunkSamples: 17_920, earlySamples: 1080 };
const NEEDED = 17_920 - 1080;

test.each([
  ['at the start of a chunk', 0, 1600, false],
  ['one sample before the worker can process the chunk', 0, NEEDED - 1, false],
  ['when the worker can process the chunk', 0, NEEDED, true],
  ['for the end of a chunk that the worker can already process', NEEDED, 17_920 + 100, false],
  ['one sample before the worker can process the second chunk', NEEDED, 17_920 + NEEDED - 1, false],
  ['for a frame with which the worker can process the second chunk', NEEDED, 17_920 + NEEDED + 100, true],
  ['for several chunks', 0, 3 * 17_920 + 5, true],
  ['without unsent audio', NEEDED, NEEDED, false],
])('isUsable %s (%i of %i samples were sent) returns %s', (_, sent, samples, usable) => {
  expect(isUsable({ sent, samples, consumed: 0 }, SIZE)).toBe(usable);
});

test('isUsable requires the whole chunk if the worker does not process chunks before their end', () => {
  const size = { chunkSamples: 1280, earlySamples: 0 };
  expect(isUsable({ sent: 0, samples: 1279, consumed: 0 }, size)).toBe(false);
  expect(isUsable({ sent: 0, samples: 1280, consumed: 0 }, size)).toBe(true);
});

test('isUsable returns true as soon as an answer is owed if the worker does not report how early it processes chunks', () => {
  const size = { chunkSamples: 17_920, earlySamples: undefined };
  const utterance = new Utterance(1, 0);
  utterance.append(Buffer.alloc(2 * 17_920));
  expect(isUsable(utterance, size)).toBe(true);
  utterance.takeUnsent();
  // Features overlap, so a worker reports fewer consumed samples than the recognized chunk contains.
  utterance.consume(17_920 - 1321);
  for (let frames = 0; !utterance.hasChunk(17_920); frames++) {
    expect([frames, isUsable(utterance, size)]).toEqual([frames, false]);
    utterance.append(Buffer.alloc(640));
  }
  expect(utterance.samples).toBeLessThan(2 * 17_920);
  expect(isUsable(utterance, size)).toBe(true);
});

test('isUsable for a very long chunk returns false below two seconds of unsent audio, and true from two seconds on', () => {
  const size = { chunkSamples: 160_000, earlySamples: 1080 };
  expect(isUsable({ sent: 0, samples: 31_999, consumed: 0 }, size)).toBe(false);
  expect(isUsable({ sent: 0, samples: 32_000, consumed: 0 }, size)).toBe(true);
});
