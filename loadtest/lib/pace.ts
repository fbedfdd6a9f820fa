import { SAMPLE_RATE_HZ } from './wav.ts';

const GOLDEN_RATIO = 0.618033988749895;

/** Returns a phase from 0 to 1 for a stream, by its number. The phases of any number of streams are evenly spread. */
export function phaseOf(stream: number): number {
  return (stream * GOLDEN_RATIO) % 1;
}

/**
 * Returns the time at which a stream with this phase starts. The stream waits for less than the duration of one chunk.
 * If all streams started together, they would also complete their chunks together. Independent clients do not do that.
 */
export function startTimeOf(nowMs: number, phase: number, chunkMs: number): number {
  const target = phase * chunkMs;
  const since = (((nowMs - target) % chunkMs) + chunkMs) % chunkMs;
  return since === 0 ? nowMs : nowMs + chunkMs - since;
}

/**
 * Returns the time at which a frame must be sent: when a microphone would have recorded the whole frame. The time
 * counts from the start of the stream, so that delays of single frames do not add up.
 */
export function dueAt(startMs: number, frame: number, frameMs: number): number {
  return startMs + (frame + 1) * frameMs;
}

/** Returns the number of samples in a frame. */
export function frameSamples(frameMs: number): number {
  return (frameMs * SAMPLE_RATE_HZ) / 1000;
}

/**
 * Returns the samples of a frame as a range of positions in the recording, [from, to). The last frame may be shorter.
 */
export function frameBounds(frame: number, frameMs: number, samples: number): [number, number] {
  const size = frameSamples(frameMs);
  return [Math.min(frame * size, samples), Math.min((frame + 1) * size, samples)];
}

/** Chooses recordings in turn, starting with `first`, until they contain at least the given number of samples. */
export function recordingsFor(lengths: readonly number[], first: number, samples: number): number[] {
  const chosen: number[] = [];
  for (let total = 0; total < samples || chosen.length === 0;) {
    const next = (first + chosen.length) % lengths.length;
    chosen.push(next);
    total += Math.max(1, lengths[next] ?? 0);
  }
  return chosen;
}
