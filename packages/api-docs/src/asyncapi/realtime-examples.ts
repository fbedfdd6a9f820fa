import { EXAMPLE_MODEL } from '../openapi/examples.ts';

const ITEM = 'item_5f0c4f3e8d7b4c0f9d0f2f6f5a1b2c3d';
const EVENT = 'event_0b7d9c3a1e2f4a5b8c6d7e8f9a0b1c2d';
const SESSION = {
  id: 'sess_9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b',
  object: 'realtime.transcription_session',
  type: 'transcription',
  expires_at: 1_794_913_200,
  audio: {
    input: {
      format: { type: 'audio/pcm', rate: 24_000 },
      transcription: { model: EXAMPLE_MODEL, language: 'ki', delay: 'medium' },
      noise_reduction: null,
      turn_detection: { type: 'server_vad', silence_duration_ms: 500 },
    },
  },
  include: null,
};
const TRANSCRIPTION = 'conversation.item.input_audio_transcription';
const UPDATE = {
  type: 'transcription',
  audio: { input: { format: { type: 'audio/pcm', rate: 16_000 }, transcription: { model: EXAMPLE_MODEL } } },
};
const ERROR = {
  type: 'invalid_request_error',
  code: 'input_audio_buffer_commit_empty',
  message: 'The audio buffer is empty. Append audio before the commit.',
  param: null,
  event_id: null,
};

const LIST: readonly { readonly type: string; readonly [field: string]: unknown }[] = [
  { type: 'session.update', session: UPDATE },
  { type: 'input_audio_buffer.append', audio: 'AAABAAIAAwA=' },
  { type: 'input_audio_buffer.commit' },
  { type: 'input_audio_buffer.clear' },
  { type: 'session.created', event_id: EVENT, session: SESSION },
  { type: 'session.updated', event_id: EVENT, session: SESSION },
  { type: 'input_audio_buffer.speech_started', event_id: EVENT, audio_start_ms: 160, item_id: ITEM },
  { type: 'input_audio_buffer.speech_stopped', event_id: EVENT, audio_end_ms: 1680, item_id: ITEM },
  { type: 'input_audio_buffer.committed', event_id: EVENT, item_id: ITEM, previous_item_id: null },
  { type: 'input_audio_buffer.cleared', event_id: EVENT },
  { type: `${TRANSCRIPTION}.delta`, event_id: EVENT, item_id: ITEM, content_index: 0, delta: 'wĩ mwega' },
  {
    type: `${TRANSCRIPTION}.completed`,
    event_id: EVENT,
    item_id: ITEM,
    content_index: 0,
    transcript: 'wĩ mwega mũno',
    usage: { type: 'duration', seconds: 1.84 },
  },
  { type: 'error', event_id: EVENT, error: ERROR },
];

/** An example of each event, by type. */
export const REALTIME_EXAMPLES: Readonly<Record<string, unknown>> = Object.fromEntries(
  LIST.map((example) => [example.type, example]),
);
