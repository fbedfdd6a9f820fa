import { openStream } from '@svc-asr/client/browser';
import type { AsrStream, StreamConfig, StreamEvent } from '@svc-asr/client/browser';
import type { AsrSession } from '@svc-asr/core';
import { AUDIO } from '@svc-asr/core/stream';
import { levelOf } from './level.ts';
import { SentAudio } from './sent-audio.ts';

/** Audio of a recognition, from a microphone or from a file. */
export interface AudioInput extends AsyncIterable<Int16Array> {
  /** Ends the audio. Pieces that were captured already can still be read. */
  stop: () => Promise<void>;
}

/** Callbacks of a recognition. */
export interface Reports {
  /** Called with each event of the protocol that was sent or received. */
  onEvent: (direction: 'sent' | 'received', event: ProtocolEvent) => void;
  /** Called with the level of the audio, from 0 (silence) to 1 (full scale). */
  onLevel: (level: number) => void;
  /** Called with the whole seconds of audio that were captured so far. */
  onSeconds: (seconds: number) => void;
  /**
   * Called when a text arrives, with its latency. The latency counts from the capture of the last audio that the text
   * covers, or from the flush that caused the text. If the service was not ready at that time, the latency counts from
   * the time at which it became ready.
   */
  onLatency: (kind: 'delta' | 'final', latencyMs: number) => void;
}

/**
 * A message of the protocol. One event of the type `audio` stands for several audio frames, because a recognition sends
 * very many frames.
 */
export type ProtocolEvent = StreamEvent | { readonly type: string; readonly [field: string]: unknown };

/** How a recognition ended. */
export interface RecognitionEnd {
  readonly code: number;
  readonly reason: string;
  readonly isNormal: boolean;
  /** True if the stream could not be opened. */
  readonly isUnopened: boolean;
  readonly meaning: string;
  readonly action: string;
}

/** Number of audio frames that are reported as one event. */
const FRAMES_PER_EVENT = 25;

/** Longest wait for the last text, after the audio has ended and the service is ready. */
const LAST_TEXT_MS = 20_000;

/**
 * Streams audio to a session and reports everything that happens. Resolves when the stream has ended. Throws if the
 * last text does not arrive within LAST_TEXT_MS. If the signal is aborted, the stream ends at once.
 */
export async function recognize(
  session: AsrSession,
  input: AudioInput,
  config: StreamConfig,
  reports: Reports,
  signal: AbortSignal,
): Promise<RecognitionEnd> {
  const ended = new AbortController();
  const cancel = () => ended.abort();
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const stream = openStream(session, { signal: ended.signal });
  const audio = new SentAudio();
  const flush = { sentAtMs: undefined as number | undefined };
  reports.onEvent('sent', { type: 'config', ...config });
  void stream.config(config).catch(() => undefined);
  const reading = readEvents(stream, audio, flush, reports);
  // The stream can end before the audio, for example at the limit of the session.
  void stream.closed.then(() => input.stop());
  await sendAudio(stream, input, audio, reports);
  flush.sentAtMs = performance.now();
  reports.onEvent('sent', { type: 'flush' });
  const late = new AbortController();
  late.signal.addEventListener('abort', cancel, { once: true });
  const timer = stream.ready.then(
    () => setTimeout(() => late.abort(), LAST_TEXT_MS),
    () => undefined,
  );
  await stream.flush().catch(() => undefined);
  const end = await stream.close();
  clearTimeout(await timer);
  await reading;
  if (late.signal.aborted) throw Object.assign(new Error('late'), { code: 'no_last_text' });
  const { meaning, action } = end.advice;
  const isUnopened = end.error !== undefined;
  return { code: end.code, reason: end.reason, isNormal: end.code === 1000, isUnopened, meaning, action };
}

async function sendAudio(stream: AsrStream, input: AudioInput, audio: SentAudio, reports: Reports): Promise<void> {
  let frames = 0;
  let bytes = 0;
  let samples = 0;
  const reportAudio = () => {
    if (frames > 0) reports.onEvent('sent', { type: 'audio', frames, bytes });
    frames = 0;
    bytes = 0;
  };
  for await (const pcm of input) {
    reports.onLevel(levelOf(pcm));
    samples += pcm.length;
    reports.onSeconds(Math.floor(samples / AUDIO.sampleRateHz));
    audio.add((pcm.length / AUDIO.sampleRateHz) * 1000, performance.now());
    // The call is not awaited, so that the meter follows the microphone while the service is not ready yet. The session
    // limits how long the service may take to become ready. This limit also bounds the audio in memory.
    void stream.send(pcm).catch(() => undefined);
    frames++;
    bytes += pcm.byteLength;
    if (frames === FRAMES_PER_EVENT) reportAudio();
  }
  reports.onLevel(0);
  reportAudio();
}

async function readEvents(
  stream: AsrStream,
  audio: SentAudio,
  flush: { sentAtMs: number | undefined },
  reports: Reports,
): Promise<void> {
  let readyAtMs = 0;
  try {
    for await (const event of stream) {
      const nowMs = performance.now();
      if (event.type === 'ready') readyAtMs = nowMs;
      reports.onEvent('received', event);
      if (event.type === 'delta' || event.type === 'final') {
        const isFlushed = event.type === 'final' && event.endpoint !== true;
        const startMs = isFlushed ? flush.sentAtMs : (audio.completeAt(event.audio_end_ms) ?? flush.sentAtMs);
        // If audio was captured before the service was ready, the latency counts from the time at which it was ready.
        if (startMs !== undefined) reports.onLatency(event.type, nowMs - Math.max(startMs, readyAtMs));
      }
    }
  } catch {
    // The error is ignored here, because `stream.closed` reports how the stream ended.
  }
}
