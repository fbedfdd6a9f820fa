import { Track } from './track.ts';

/** A stream that has sent so many frames of 100 ms, each when it was over. */
function speaking(frames: number): Track {
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

test('the latency of a delta counts from the sending of the sample that it names', () => {
  const track = speaking(20);
  // Sample 1120 ms lies in the twelfth frame, sent at 1200.
  expect(track.receive(delta(1120), 1250)).toEqual({ kind: 'delta', latencyMs: 50 });
  // The last sample of a frame belongs to it, not to the next one.
  expect(track.receive(delta(1200), 1250)).toEqual({ kind: 'delta', latencyMs: 50 });
  expect(track.receive(delta(1201), 1350)).toEqual({ kind: 'delta', latencyMs: 50 });
  expect(track.faults).toEqual([]);
});

test('the latency of a final counts from its flush', () => {
  const track = speaking(5);
  track.flushed(510);
  expect(track.awaitsFinal).toBe(true);
  expect(track.receive(final(0, 500), 560)).toEqual({ kind: 'final', latencyMs: 50, text: 'wĩ mwega' });
  expect(track.awaitsFinal).toBe(false);
});

test('milliseconds are rounded up where audio ends between two of them', () => {
  const track = new Track();
  track.sent(1601, 100);
  expect(track.sentAt(101)).toBe(100);
  expect(track.sentAt(102)).toBeUndefined();
  track.flushed(100);
  track.receive(final(0, 101), 120);
  expect(track.faults).toEqual([]);
});

test('the utterances of a stream follow each other', () => {
  const track = speaking(5);
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
  ['a delta from the future', [delta(900)], 'delta of audio that was not sent'],
  ['a delta of another utterance', [delta(400, 2)], 'delta of utterance 2 in 1'],
  ['a second final', [final(0, 500), final(0, 500)], 'final without a flush'],
  ['a final of less audio', [final(0, 420)], 'final does not end where the audio does: audio was lost or doubled'],
  ['a final that begins late', [final(80, 500)], 'final does not begin where the last one ended'],
  ['a final of another utterance', [final(0, 500, 2)], 'final of utterance 2, not 1'],
  ['a delta after its final', [final(0, 500), delta(480)], 'delta of utterance 1 in 2'],
  ['ready again', [{ type: 'ready' }], 'ready twice'],
  ['status after ready', [{ type: 'status' }], 'status after ready'],
  ['an error', [{ type: 'error', code: 'idle_timeout' }], 'error idle_timeout'],
  ['something unknown', [{ type: 'surprise' }], 'unknown event surprise'],
])('notes %s', (_name, events, fault) => {
  const track = speaking(5);
  track.flushed(500);
  for (const event of events) track.receive(event, 600);
  expect(track.faults).toEqual([fault]);
});
