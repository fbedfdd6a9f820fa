import type { Connection } from './connection.ts';
import { deltaLatency, finalLatency, lag, wordErrorRate } from './metrics.ts';
import { writeRecord } from './write-record.ts';
import { dueAt, frameBounds, frameSamples, startTimeOf } from './pace.ts';
import type { Role } from './plan.ts';
import { plan } from './plan-file.ts';
import type { Speech } from './recordings.ts';
import type { UtteranceRecord } from './record.ts';
import { waitUntil } from './wait.ts';
import { wordErrors, wordsOf } from './word-errors.ts';

const FINAL_WITHIN_MS = 60_000;

/** Properties of a stream that its utterances share. */
export interface StreamProfile {
  readonly session: string;
  readonly role: Role;
  readonly context: string;
  /** Start of the stream within a chunk, from 0 to 1. */
  readonly phase: number;
  readonly chunkMs: number;
}

/** Streams one recording, flushes, and returns whether the final arrived. */
export async function streamRecording(
  connection: Connection,
  speech: Speech,
  number: number,
  profile: StreamProfile,
): Promise<boolean> {
  const { session, role, context } = profile;
  const tags = { role, context };
  const deltas: [number, number][] = [];
  connection.onDelta = (atMs, latencyMs) => {
    deltas.push([Math.round(atMs), Math.round(latencyMs)]);
    deltaLatency.add(latencyMs, tags);
  };
  const lagsMs = await (role === 'regular' ? sendPaced(connection, speech, profile) : sendAll(connection, speech));
  connection.send('{"type":"flush"}');
  connection.track.flushed(Date.now());
  const final = await connection.next('final', FINAL_WITHIN_MS);

  const record: UtteranceRecord = {
    kind: 'utterance',
    session,
    role,
    context,
    utterance: number,
    deltas,
    lagsMs,
    final: null,
    words: 0,
    wordErrors: 0,
  };
  if (final?.kind !== 'final') {
    writeRecord(record);
    return false;
  }
  finalLatency.add(final.latencyMs, tags);
  const words = wordsOf(speech.text).length;
  const errors = wordErrors(speech.text, final.text);
  if (words > 0) wordErrorRate.add((100 * errors) / words, tags);
  writeRecord({ ...record, final: [Math.round(final.atMs), Math.round(final.latencyMs)], words, wordErrors: errors });
  return true;
}

/**
 * Sends at the pace of speech, each frame at an absolute time so that a late frame does not delay the others. One
 * JavaScript promise covers all frames. With one for each frame k6 would use a quarter more CPU time, which a service
 * on the same cores would lack.
 */
function sendPaced(connection: Connection, { pcm }: Speech, { phase, chunkMs }: StreamProfile): Promise<number[]> {
  const { frameMs } = plan;
  const frames = Math.ceil(pcm.byteLength / 2 / frameSamples(frameMs));
  const startMs = startTimeOf(Date.now(), phase, chunkMs);
  const lagsMs: number[] = [];
  return new Promise((resolve) => {
    // Sends only the frames that are due, because a k6 timer may fire early (see wait.ts).
    const send = () => {
      let now = Date.now();
      let dueMs = dueAt(startMs, lagsMs.length, frameMs);
      for (; dueMs <= now && lagsMs.length < frames && connection.endedAtMs === 0; now = Date.now()) {
        sendFrame(connection, pcm, lagsMs.length, now);
        lagsMs.push(Math.round(now - dueMs));
        lag.add(now - dueMs);
        dueMs = dueAt(startMs, lagsMs.length, frameMs);
      }
      if (lagsMs.length < frames && connection.endedAtMs === 0) setTimeout(send, Math.max(0, dueMs - now));
      else resolve(lagsMs);
    };
    send();
  });
}

/** Sends as fast as the service accepts it. */
async function sendAll(connection: Connection, { pcm }: Speech): Promise<number[]> {
  for (let frame = 0; frame * frameSamples(plan.frameMs) < pcm.byteLength / 2 && connection.isOpen; frame++) {
    sendFrame(connection, pcm, frame, Date.now());
    // Lets k6 process events between frames.
    await waitUntil(0);
  }
  return [];
}

function sendFrame(connection: Connection, pcm: ArrayBuffer, frame: number, atMs: number): void {
  const [from, to] = frameBounds(frame, plan.frameMs, pcm.byteLength / 2);
  connection.send(pcm.slice(from * 2, to * 2));
  connection.track.sent(to - from, atMs);
}
