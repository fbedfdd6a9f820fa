import type { Connection } from './connection.ts';
import { currentTags } from './current-tags.ts';
import { deltaLatency, finalLatency, firstDeltaLatency, lag, wordErrorRate } from './metrics.ts';
import { dueAt, frameBounds, frameSamples, startTimeOf } from './pace.ts';
import type { Role } from './plan.ts';
import { plan } from './plan-file.ts';
import type { Speech } from './recordings.ts';
import { wordErrors, wordsOf } from './word-errors.ts';

const FINAL_WITHIN_MS = 60_000;

/** Properties of a stream that its utterances share. */
export interface StreamProfile {
  readonly role: Role;
  /**
   * Context in a form such as `56-13`, because k6 does not accept a comma in a tag. Empty if no context was requested.
   */
  readonly context: string;
  /** Part of a chunk by which the start of the stream is shifted, from 0 to 1. */
  readonly phase: number;
  readonly chunkMs: number;
}

/** Streams one recording, flushes, and returns whether the final arrived. */
export async function streamRecording(
  connection: Connection,
  speech: Speech,
  profile: StreamProfile,
): Promise<boolean> {
  const { role, context } = profile;
  const tags = () => ({ role, context, ...currentTags() });
  let hasDelta = false;
  connection.onDelta = (latencyMs) => {
    deltaLatency.add(latencyMs, tags());
    if (!hasDelta) firstDeltaLatency.add(latencyMs, tags());
    hasDelta = true;
  };
  await sendPaced(connection, speech, profile);
  connection.send('{"type":"flush"}');
  connection.track.flushed(Date.now());
  const final = await connection.next('final', FINAL_WITHIN_MS);
  if (final?.kind !== 'final') return false;
  finalLatency.add(final.latencyMs, tags());
  const words = wordsOf(speech.text).length;
  if (words > 0) wordErrorRate.add((100 * wordErrors(speech.text, final.text)) / words, tags());
  return true;
}

/**
 * Sends a recording in real time. Each frame has an absolute time, so that a late frame does not delay later frames.
 * One JavaScript promise covers all frames. With one promise for each frame, k6 would use a quarter more CPU time,
 * which would slow down a service on the same cores.
 */
function sendPaced(connection: Connection, { pcm }: Speech, { phase, chunkMs }: StreamProfile): Promise<void> {
  const { frameMs } = plan;
  const frames = Math.ceil(pcm.byteLength / 2 / frameSamples(frameMs));
  const startMs = startTimeOf(Date.now(), phase, chunkMs);
  let frame = 0;
  return new Promise((resolve) => {
    // A k6 timer may fire early (see wait.ts), so only the frames that are due are sent.
    const send = () => {
      let now = Date.now();
      let dueMs = dueAt(startMs, frame, frameMs);
      for (; dueMs <= now && frame < frames && connection.endedAtMs === 0; now = Date.now()) {
        sendFrame(connection, pcm, frame++, now);
        lag.add(now - dueMs);
        dueMs = dueAt(startMs, frame, frameMs);
      }
      if (frame < frames && connection.endedAtMs === 0) setTimeout(send, Math.max(0, dueMs - now));
      else resolve();
    };
    send();
  });
}

function sendFrame(connection: Connection, pcm: ArrayBuffer, frame: number, atMs: number): void {
  const [from, to] = frameBounds(frame, plan.frameMs, pcm.byteLength / 2);
  connection.send(pcm.slice(from * 2, to * 2));
  connection.track.sent(to - from, atMs);
}
