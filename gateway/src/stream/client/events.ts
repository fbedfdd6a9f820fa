import { audioMs, AUDIO } from '@svc-asr/core';
import type {
  ConfigAckMessage,
  ContextSize,
  DeltaMessage,
  FinalMessage,
  ReadyMessage,
  RelayAnswer,
} from '@svc-asr/core';
import type { Configuration } from '../configuration.ts';
import type { StreamSession } from '../session.ts';
import type { Utterance } from '../recognition/utterance.ts';

type Answer<T extends RelayAnswer['type']> = Extract<RelayAnswer, { type: T }>;

/**
 * Builds a `delta` event. The worker counts samples from the start of the utterance. The event contains milliseconds
 * from the start of the stream.
 */
export function deltaEvent(utterance: Utterance, { text, audio_end }: Answer<'delta'>): DeltaMessage {
  const end = audioMs(utterance.startSample + audio_end);
  return { type: 'delta', text, utterance: utterance.number, audio_end_ms: end };
}

export function finalEvent(utterance: Utterance, { text, words, endpoint }: Answer<'final'>): FinalMessage {
  const startMs = audioMs(utterance.startSample);
  const endMs = audioMs(utterance.startSample + utterance.samples);
  return {
    type: 'final',
    text,
    utterance: utterance.number,
    audio_start_ms: startMs,
    audio_end_ms: endMs,
    ...(endpoint === true && { endpoint }),
    words: words.map(({ text: word, start_ms, end_ms, confidence }) => ({
      text: word,
      start_ms: Math.min(startMs + start_ms, endMs),
      end_ms: Math.min(startMs + end_ms, endMs),
      ...(confidence !== undefined && { confidence }),
    })),
  };
}

export function readyEvent(session: StreamSession, context: ContextSize, chunkSamples: number): ReadyMessage {
  return {
    type: 'ready',
    session_id: session.sessionId,
    model: session.model,
    chunk_samples: chunkSamples,
    sample_rate_hz: AUDIO.sampleRateHz,
    context_size: context,
    max_frame_bytes: AUDIO.maxFrameBytes,
    max_audio_seconds: session.reservedMs / 1000,
  };
}

export function configAck(
  { languageCode: language }: StreamSession,
  { context, silenceMs, phrases }: Configuration,
  chunkSamples: number,
): ConfigAckMessage {
  const endpointing = silenceMs === undefined ? {} : { endpointing: { silence_ms: silenceMs } };
  return {
    type: 'config_ack',
    language,
    context_size: context,
    chunk_samples: chunkSamples,
    ...endpointing,
    ...(phrases && { phrases: [...phrases] }),
  };
}
