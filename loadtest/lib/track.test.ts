import { Track } from './track.ts';

/**
 * Creates the track of a stream that has sent the given number of 100 ms frames, each at the time at which it was due.
 */
function createTrack(frames: number): Track {
  const track = new Track();
  track.receive({ type: 'ready', chunk_samples: 17_920 }, 0);
  for (let frame = 1; frame <= frames; frame++) track.sent(1600, frame * 100);
  return track;
}

const delta = (endMs: number, utterance = 1) => ({ type: 'delta', text: '', utterance, audio_end_ms: endMs });
const final = (startMs: number, endMs: number, utterance = 1) => ({
  type: 'final',
  text: 'wĩ mwega',
  utterance,
  audio_start_ms: startMs,
  audio_end_ms: endMs,
});

test('Track measures the latency of a delta from the time at which the last sample of its audio was sent', () => {
  const track = createTrack(20);
  // The sample at 1120 ms is in the twelfth frame, which was sent at 1200 ms.
  expect(track.receive(delta(1120), 1250)).toEqual({ kind: 'delta', latencyMs: 50 });
  // The last sample of a frame belongs to this frame and not to the next one.
  expect(track.receive(delta(1200), 1250)).toEqual({ kind: 'delta', latencyMs: 50 });
  expect(track.receive(delta(1201), 1350)).toEqual({ kind: 'delta', latencyMs: 50 });
  expect(track.faults).toEqual([]);
});

test('Track measures the latency of a final from its flush', () => {
  const track = createTrack(5);
  track.flushed(510);
  expect(track.awaitsFinal).toBe(true);
  expect(track.receive(final(0, 500), 560)).toEqual({ kind: 'final', latencyMs: 50, text: 'wĩ mwega' });
  expect(track.awaitsFinal).toBe(false);
});

test('Track rounds the end of the audio up to whole milliseconds', () => {
  const track = new Track();
  track.sent(1601, 100);
  expect(track.sentAt(101)).toBe(100);
  expect(track.sentAt(102)).toBeUndefined();
  track.flushed(100);
  track.receive(final(0, 101), 120);
  expect(track.faults).toEqual([]);
});

test('Track accepts consecutive utterances of a stream', () => {
  const track = createTrack(5);
  track.receive(delta(400), 450);
  track.flushed(500);
  track.receive(final(0, 500), 550);
  track.sent(1600, 700);
  track.receive(delta(560, 2), 750);
  track.flushed(700);
  track.receive(final(500, 600, 2), 750);
  expect(track.faults).toEqual([]);
  expect(track.finals).toBe(2);
});

test.each([
  ['the same delta again', [delta(400), delta(400)], 'delta twice'],
  ['an older delta', [delta(400), delta(320)], 'delta out of order'],
  ['a delta of audio that was not sent', [delta(900)], 'delta of audio that was not sent'],
  ['a delta of another utterance', [delta(400, 2)], 'delta of utterance 2 in 1'],
  ['a second final', [final(0, 500), final(0, 500)], 'final without a flush'],
  ['a final of less audio', [final(0, 420)], 'final does not end where the audio does: audio was lost or doubled'],
  ['a final that starts late', [final(80, 500)], 'final does not start where the last one ended'],
  ['a final of another utterance', [final(0, 500, 2)], 'final of utterance 2, not 1'],
  ['a delta after its final', [final(0, 500), delta(480)], 'delta of utterance 1 in 2'],
  ['a second ready', [{ type: 'ready' }], 'ready twice'],
  ['status after ready', [{ type: 'status' }], 'status after ready'],
  ['an error', [{ type: 'error', code: 'idle_timeout' }], 'error idle_timeout'],
  ['an unknown event', [{ type: 'surprise' }], 'unknown event surprise'],
])('Track records a fault for %s', (_name, events, fault) => {
  const track = createTrack(5);
  track.flushed(500);
  for (const event of events) track.receive(event, 600);
  expect(track.faults).toEqual([fault]);
});
