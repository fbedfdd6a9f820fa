import { buildFraming, chunkSamples, samplesFor } from '../features/framing.ts';
import { Lane } from './lane.ts';
import { aheadAt } from './pace.ts';
import type { Search } from './search.ts';
import { AudioRing, createSharedBuffers } from './shared.ts';

const RUN = { batch: 1, runMs: 1, waitMs: 0 };
const framing = buildFraming(13, 8);
const shape = { subsampling: 8, framing, recomputesHistory: false };

function createLane(realtimeFrom: number): Lane {
  const ring = new AudioRing(createSharedBuffers(1), 0);
  const startSearch = () => ({}) as Search;
  return new Lane({
    id: 1,
    slot: 0,
    context: '56,13',
    shape,
    ring,
    utterance: 0,
    openedMs: 0,
    realtimeFrom,
    startSearch,
  });
}

test('Lane counts only the audio after realtimeFrom as ahead of real time', () => {
  const lane = createLane(3 * chunkSamples(framing));
  for (; lane.window < 3; lane.window++) lane.ran(1000, RUN);
  expect(aheadAt(lane.pace, 1000)).toBe(0);
  lane.ran(1000, RUN);
  expect(aheadAt(lane.pace, 1000)).toBe(1120);
});

test('the backlog of a Lane is the received audio after the end of its next window, whether or not a flush was received', () => {
  const lane = createLane(0);
  lane.ring.write(new Int16Array(samplesFor(framing, 1)));
  expect(lane.backlogMs).toBe(0);
  lane.ring.write(new Int16Array(1600));
  expect(lane.backlogMs).toBe(100);
  lane.ring.mark();
  lane.mark({ kind: 'flush', at: 1600 });
  expect(lane.backlogMs).toBe((samplesFor(framing, 1) * 1000) / 16_000);
});

test('the pace of a Lane counts the samples of a window only up to a flush, and counts them only once if the window runs twice', () => {
  const lane = createLane(0);
  lane.ring.mark();
  lane.mark({ kind: 'flush', at: 1600 });
  lane.ran(1000, RUN);
  expect(aheadAt(lane.pace, 1000)).toBe(100);
  lane.ran(1000, RUN);
  expect(aheadAt(lane.pace, 1000)).toBe(100);
});

test('Lane.noteArrival() counts only audio that has arrived since its last call, and does not count the audio of a replay', () => {
  const lane = createLane(16_000);
  lane.noteArrival(0);
  const before = lane.earlyMs;
  lane.ring.write(new Int16Array(8000));
  lane.noteArrival(0);
  expect(lane.earlyMs).toBe(before);
  lane.ring.write(new Int16Array(16_000));
  for (let note = 0; note < 2; note++) lane.noteArrival(0);
  expect(lane.earlyMs).toBe(before + 500);
});
