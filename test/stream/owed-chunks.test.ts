import { chunkSamples } from '@svc-asr/core';
import { Utterance } from '../../gateway/src/stream/recognition/utterance.ts';
import { buildFraming, oldestNeeded, samplesFor, windowsIn } from '../../worker/src/features/framing.ts';

const SUBSAMPLING = 8;
const STEP_SAMPLES = 40;
const STEP = Buffer.alloc(STEP_SAMPLES * 2);
/** 20 ms of audio. */
const FRAME_SAMPLES = 320;

// A client that closes its stream while an answer is overdue pays nothing. If the gateway expected the answer to a
// chunk too early, clients could therefore close their streams free of charge.
describe.each(Array.from({ length: 14 }, (_, right) => right))('with a right context of %i', (right) => {
  const framing = buildFraming(right, SUBSAMPLING);
  const chunk = chunkSamples(right);

  test('a worker owes no chunk after it has run all windows whose audio it has received', () => {
    const utterance = new Utterance(1, 0);
    const owed: number[] = [];
    while (utterance.samples < 4 * chunk) {
      utterance.append(STEP);
      const windows = windowsIn(framing, utterance.samples);
      if (windows > 0) utterance.consume(oldestNeeded(framing, windows));
      if (utterance.hasChunk(chunk)) owed.push(utterance.samples);
    }
    expect(owed).toEqual([]);
  });

  test('a worker owes a chunk if it has received the audio of two windows that it has not run', () => {
    for (const windows of [0, 1, 2, 3]) {
      const utterance = new Utterance(1, 0);
      utterance.append(Buffer.alloc((samplesFor(framing, windows + 2) + FRAME_SAMPLES) * 2));
      if (windows > 0) utterance.consume(oldestNeeded(framing, windows));
      expect(utterance.hasChunk(chunk)).toBe(true);
    }
  });
});
