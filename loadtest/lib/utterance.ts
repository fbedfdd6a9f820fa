import type { Connection } from './connection.ts';
import { deltaLatency, finalLatency, lag, wordErrorRate } from './metrics.ts';
import { note } from './note.ts';
import { dueAt, frameBounds, frameSamples, speakFrom } from './pace.ts';
import type { Role } from './plan.ts';
import { plan } from './plan-file.ts';
import type { Speech } from './recordings.ts';
import type { UtteranceRecord } from './record.ts';
import { waitUntil } from './wait.ts';
import { wordErrors, wordsOf } from './word-errors.ts';

const FINAL_WITHIN_MS = 60_000;

/** Who speaks, and how. */
export interface Manner {
  readonly session: string;
  readonly role: Role;
  readonly context: string;
  /** Of the chunk, from 0 to 1. */
  readonly phase: number;
  readonly chunkMs: number;
}

/** Speaks one recording and flushes it; false when the final did not come. */
export async function speak(connection: Connection, speech: Speech, number: number, manner: Manner): Promise<boolean> {
  const { session, role, context } = manner;
  const tags = { role, context };
  const deltas: [number, number][] = [];
  connection.onDelta = (atMs, latencyMs) => {
    deltas.push([Math.round(atMs), Math.round(latencyMs)]);
    deltaLatency.add(latencyMs, tags);
  };
  const lagsMs = await (role === 'regular' ? sendPaced(connection, speech, manner) : sendAll(connection, speech));
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
    note(record);
    return false;
  }
  finalLatency.add(final.latencyMs, tags);
  const words = wordsOf(speech.text).length;
  const errors = wordErrors(speech.text, final.text);
  if (words > 0) wordErrorRate.add((100 * errors) / words, tags);
  note({ ...record, final: [Math.round(final.atMs), Math.round(final.latencyMs)], words, wordErrors: errors });
  return true;
}

/**
 * Sends at the pace of speech, by absolute times: a frame that is late makes no other one late. One promise for all frames: with
 * one for each, the generator takes a quarter more, which a service beside it on the same cores lacks.
 */
function sendPaced(connection: Connection, { pcm }: Speech, { phase, chunkMs }: Manner): Promise<number[]> {
  const { frameMs } = plan;
  const frames = Math.ceil(pcm.byteLength / 2 / frameSamples(frameMs));
  const startMs = speakFrom(Date.now(), phase, chunkMs);
  const lagsMs: number[] = [];
  return new Promise((resolve) => {
    // k6's timers may fire long before their time: see wait.ts.
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

/** Sends as fast as the service takes it. */
async function sendAll(connection: Connection, { pcm }: Speech): Promise<number[]> {
  for (let frame = 0; frame * frameSamples(plan.frameMs) < pcm.byteLength / 2 && connection.isOpen; frame++) {
    sendFrame(connection, pcm, frame, Date.now());
    // Lets events in between.
    await waitUntil(0);
  }
  return [];
}

function sendFrame(connection: Connection, pcm: ArrayBuffer, frame: number, atMs: number): void {
  const [from, to] = frameBounds(frame, plan.frameMs, pcm.byteLength / 2);
  connection.send(pcm.slice(from * 2, to * 2));
  connection.track.sent(to - from, atMs);
}
