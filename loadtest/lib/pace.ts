import { SAMPLE_RATE_HZ } from './wav.ts';

const GOLDEN = 0.618033988749895;

/** A number from 0 to 1 for each stream, such that any count of them is spread evenly. */
export function phaseOf(stream: number): number {
  return (stream * GOLDEN) % 1;
}

/**
 * When a stream begins to speak: the next moment that lies at its phase of the chunk. Streams that all began at once
 * would complete their chunks at once, which people who do not know of each other never do.
 */
export function speakFrom(nowMs: number, phase: number, chunkMs: number): number {
  const target = phase * chunkMs;
  const since = (((nowMs - target) % chunkMs) + chunkMs) % chunkMs;
  return since === 0 ? nowMs : nowMs + chunkMs - since;
}

/** When a frame is due: a microphone has its audio only when the frame is over. Absolute, so that lateness never adds up. */
export function dueAt(startMs: number, frame: number, frameMs: number): number {
  return startMs + (frame + 1) * frameMs;
}

/** Returns the number of samples in a frame. */
export function frameSamples(frameMs: number): number {
  return (frameMs * SAMPLE_RATE_HZ) / 1000;
}

/** The samples of a frame, as positions in the recording: [from, to). The last frame may be shorter. */
export function frameBounds(frame: number, frameMs: number, samples: number): [number, number] {
  const size = frameSamples(frameMs);
  return [Math.min(frame * size, samples), Math.min((frame + 1) * size, samples)];
}

/** How many of the recordings, taken in turn from `first` on, make at least so many samples. */
export function recordingsFor(lengths: readonly number[], first: number, samples: number): number[] {
  const chosen: number[] = [];
  for (let total = 0; total < samples || chosen.length === 0;) {
    const next = (first + chosen.length) % lengths.length;
    chosen.push(next);
    total += Math.max(1, lengths[next] ?? 0);
  }
  return chosen;
}
