import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { send } from '../support/answer.ts';
import { recording } from '../support/recording.ts';
import { StreamClient } from '../support/stream-client.ts';
import type { SessionBody } from '../support/stream-client.ts';
import { wordErrorRate } from '../support/word-errors.ts';

const FRAME_BYTES = 3200;
const FRAME_MS = 100;
const BYTES_PER_MS = FRAME_BYTES / FRAME_MS;
/**
 * Highest accepted word error rate of a synthesized recording. Without the service, the engine has a rate of 15 % over
 * all these recordings.
 */
export const MAX_WORD_ERRORS_PERCENT = 60;

/** URL, CA certificate and API key of a client. */
export interface Access {
  baseUrl: string;
  ca: string;
  key: string;
}

/** Creates a session; resolves with its response. */
export async function createSession(
  { baseUrl, ca, key }: Access,
  model: string,
  seconds: number,
): Promise<SessionBody> {
  const response = await send(`${baseUrl}/v1/asr/sessions`, {
    method: 'POST',
    ca,
    body: { model, max_audio_seconds: seconds },
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  if (response.status !== 201) throw new Error(`POST /v1/asr/sessions returned ${response.status} ${response.text}`);
  return response.body as SessionBody;
}

/** Creates a session and opens its stream. */
export async function openStream(access: Access, model: string, seconds = 60): Promise<StreamClient> {
  const session = await createSession(access, model, seconds);
  const { websocket_url: url, websocket_protocols: protocols } = session;
  const socket = new WebSocket(url, protocols, { ca: access.ca, perMessageDeflate: false });
  const stream = new StreamClient(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return stream;
}

/** A client that streams audio. */
export interface AudioSender {
  /**
   * Sends the rest of the current repetition of the recording without pauses, checks every transcript and closes the
   * stream. Resolves with the number of utterances.
   */
  finish: () => Promise<number>;
  /**
   * Longest time so far from the sending of audio until its transcript arrives, in milliseconds. This time includes the
   * wait of the model for further audio.
   */
  readonly longestLagMs: number;
  /** Number of finals received so far. */
  readonly finals: number;
}

/** Streams a recording in real time, again and again, as one utterance each time. The stream must be ready. */
export function startAudioSender(stream: StreamClient, name: string, model: string): AudioSender {
  const { pcm, text } = recording(name, model);
  let isStopped = false;
  const hasStopped = () => isStopped;
  const lag = measureLag(stream);
  const sent = (async () => {
    let utterances = 0;
    const startedAt = performance.now();
    let frames = 0;
    while (!hasStopped()) {
      for (let offset = 0; offset < pcm.length; offset += FRAME_BYTES) {
        const frame = pcm.subarray(offset, offset + FRAME_BYTES);
        stream.socket.send(frame);
        if (hasStopped()) continue;
        lag.addAudio(frame.length);
        await sleep(Math.max(0, startedAt + ++frames * FRAME_MS - performance.now()));
      }
      stream.send({ type: 'flush' });
      utterances += 1;
    }
    return utterances;
  })();
  return {
    finish: async () => {
      isStopped = true;
      const utterances = await sent;
      for (let received = 0; received < utterances; received++) {
        const final = await stream.next('final', 60_000);
        const rate = wordErrorRate([text], [final.text]);
        if (rate > MAX_WORD_ERRORS_PERCENT) throw new Error(`${rate} % word errors: "${final.text}" for "${text}"`);
      }
      stream.close();
      const { code } = await stream.closed;
      if (code !== 1000) throw new Error(`the stream was closed with code ${code}`);
      return utterances;
    },
    get longestLagMs() {
      return lag.longestMs;
    },
    get finals() {
      return stream.events.filter(({ type }) => type === 'final').length;
    },
  };
}

/** Measures how late the transcripts of a stream arrive. The caller must call `addAudio` when it sends audio. */
function measureLag(stream: StreamClient) {
  /** End of each frame in the stream, and the time when it was sent. */
  const frames: { endMs: number; sentAtMs: number }[] = [];
  let endMs = 0;
  let longestMs = 0;
  stream.socket.on('message', () => {
    const event = stream.events.at(-1);
    if (event?.type !== 'delta' && event?.type !== 'final') return;
    const last = frames.find((frame) => frame.endMs >= event.audio_end_ms);
    if (last !== undefined) longestMs = Math.max(longestMs, performance.now() - last.sentAtMs);
  });
  return {
    addAudio: (bytes: number) => {
      endMs += bytes / BYTES_PER_MS;
      frames.push({ endMs, sentAtMs: performance.now() });
    },
    get longestMs() {
      return Math.round(longestMs);
    },
  };
}
