import type { AsrSession, CreateSessionRequest, CreditBalance, Model, SessionDetail } from '@svc-asr/core';
import { AUDIO, SESSION_CREDENTIAL_PREFIX, STREAM_SUBPROTOCOL, streamPath } from '@svc-asr/core';

/** Address of the service in the rendered documents. The gateway replaces it with its PUBLIC_URL when it starts. */
export const EXAMPLE_URL = 'https://asr.example.com';
export const EXAMPLE_REQUEST_ID = '0198f2c4-6d1e-7a52-9c0b-3f5d2e8a1b47';
export const EXAMPLE_SESSION_ID = '0198f2c4-6e03-7c1f-8a64-5b0d9e2f7c31';
export const EXAMPLE_MODEL = 'svc-asr-kikuyu-v1';

const audio = { encoding: 'pcm_s16le', sample_rate_hz: AUDIO.sampleRateHz, channels: 1 } as const;

const model = (id: string, language: string, language_code: string): Model => ({
  id,
  object: 'model',
  capability: 'asr.streaming',
  language,
  language_code,
  max_audio_seconds: 300,
  audio,
  contexts: [
    { context_size: [...AUDIO.defaultContext], chunk_ms: 1120, default: true },
    { context_size: [56, 3], chunk_ms: 320, default: false },
  ],
});

export const EXAMPLE_MODELS = {
  object: 'list',
  data: [model(EXAMPLE_MODEL, 'Kikuyu', 'ki'), model('svc-asr-dholuo-v1', 'Dholuo', 'luo')],
};

export const EXAMPLE_CREATE: CreateSessionRequest = { model: EXAMPLE_MODEL, max_audio_seconds: 120 };

/** A session as POST /v1/asr/sessions returns it. The credential is recognizable as an example. */
export const EXAMPLE_SESSION: AsrSession = {
  id: EXAMPLE_SESSION_ID,
  object: 'asr.session',
  status: 'reserved',
  model: EXAMPLE_MODEL,
  websocket_url: `${EXAMPLE_URL.replace(/^http/, 'ws')}${streamPath(EXAMPLE_SESSION_ID)}`,
  websocket_protocols: [STREAM_SUBPROTOCOL, `${SESSION_CREDENTIAL_PREFIX}EXAMPLE-one-use-credential`],
  expires_at: '2026-03-02T09:31:00.000Z',
  audio: { ...audio, max_audio_seconds: 120, context_size: [...AUDIO.defaultContext] },
  credits: { unit: 'audio_second', reserved: 120, remaining: 3452 },
};

export const EXAMPLE_SESSION_DETAIL: SessionDetail = {
  id: EXAMPLE_SESSION_ID,
  model: EXAMPLE_MODEL,
  status: 'completed',
  audio_ms: 27_340,
  billable_ms: 28_000,
  created_at: '2026-03-02T09:30:00.000Z',
  completed_at: '2026-03-02T09:30:31.087Z',
  end_reason: 'client_closed',
  close_code: 1000,
};

export const EXAMPLE_BALANCE: CreditBalance = {
  object: 'credit_balance',
  unit: 'audio_millisecond',
  available_ms: 3_452_000,
  reserved_ms: 120_000,
  consumed_ms: 28_000,
  recent_sessions: [
    {
      id: EXAMPLE_SESSION_ID,
      model: EXAMPLE_MODEL,
      status: 'reserved',
      audio_ms: 0,
      billable_ms: 0,
      created_at: '2026-03-02T09:30:00.000Z',
      completed_at: null,
    },
    {
      id: '0198f2b9-11a7-7f20-b3de-47c6a1905e88',
      model: 'svc-asr-dholuo-v1',
      status: 'completed',
      audio_ms: 27_340,
      billable_ms: 28_000,
      created_at: '2026-03-02T09:12:40.512Z',
      completed_at: '2026-03-02T09:13:11.087Z',
    },
  ],
};
