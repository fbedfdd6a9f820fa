import { EXAMPLE_MODEL, EXAMPLE_SESSION_ID } from '../openapi/examples.ts';
import { AUDIO, chunkSamples, STREAM_ERRORS } from '@svc-asr/core';
import type { CLIENT_MESSAGES, ClientMessage, SERVER_MESSAGES, ServerMessage } from '@svc-asr/core';

type Of<M extends { type: string }, T extends string> = Extract<M, { type: T }>;

/** Example messages from the client. */
export const CLIENT_EXAMPLES: { readonly [T in keyof typeof CLIENT_MESSAGES]: readonly Of<ClientMessage, T>[] } = {
  config: [
    { type: 'config' },
    { type: 'config', language: 'ki', context: [56, 3] },
    { type: 'config', endpointing: { silence_ms: 500 } },
    { type: 'config', phrases: [{ text: "Murang'a" }, { text: 'Oginga Odinga', boost: 8 }] },
  ],
  flush: [{ type: 'flush' }],
  reset: [{ type: 'reset' }],
  keepalive: [{ type: 'keepalive' }],
};

/** Example messages from the server. */
export const SERVER_EXAMPLES: { readonly [T in keyof typeof SERVER_MESSAGES]: readonly Of<ServerMessage, T>[] } = {
  status: [{ type: 'status', state: 'waiting_for_capacity', message: 'Waiting for a free recognition slot.' }],
  ready: [
    {
      type: 'ready',
      session_id: EXAMPLE_SESSION_ID,
      model: EXAMPLE_MODEL,
      chunk_samples: chunkSamples(AUDIO.defaultContext[1]),
      sample_rate_hz: AUDIO.sampleRateHz,
      context_size: [...AUDIO.defaultContext],
      max_frame_bytes: AUDIO.maxFrameBytes,
      max_audio_seconds: 120,
    },
  ],
  config_ack: [
    { type: 'config_ack', language: 'ki', context_size: [56, 3], chunk_samples: chunkSamples(3) },
    {
      type: 'config_ack',
      language: 'ki',
      context_size: [...AUDIO.defaultContext],
      chunk_samples: chunkSamples(AUDIO.defaultContext[1]),
      endpointing: { silence_ms: 500 },
      phrases: [{ text: "Murang'a", boost: 5 }],
    },
  ],
  reset_ack: [{ type: 'reset_ack', utterance: 2 }],
  speech_started: [{ type: 'speech_started', utterance: 1, audio_start_ms: 160 }],
  delta: [{ type: 'delta', text: 'wĩ mwega', utterance: 1, audio_end_ms: 1120 }],
  speech_ended: [{ type: 'speech_ended', utterance: 1, audio_end_ms: 1680 }],
  final: [
    {
      type: 'final',
      text: 'wĩ mwega mũno',
      utterance: 1,
      audio_start_ms: 0,
      audio_end_ms: 1840,
      words: [
        { text: 'wĩ', start_ms: 160, end_ms: 400, confidence: 0.912 },
        { text: 'mwega', start_ms: 480, end_ms: 1040, confidence: 0.983 },
        { text: 'mũno', start_ms: 1120, end_ms: 1680, confidence: 0.547 },
      ],
    },
  ],
  error: [
    {
      type: 'error',
      code: 'invalid_audio_frame',
      message: STREAM_ERRORS.invalid_audio_frame.message,
      fatal: false,
    },
    { type: 'error', code: 'idle_timeout', message: STREAM_ERRORS.idle_timeout.message, fatal: true },
  ],
};
