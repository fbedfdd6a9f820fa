import { FILE_LIMITS, RESPONSE_FORMATS } from '@svc-asr/core';
import type { ErrorCode } from '@svc-asr/core';
import { TRANSCRIBE_FILE_SAMPLES } from '../../samples.ts';
import type { JsonSchema } from '../../json-schema.ts';
import type { PathItem } from '../document.ts';
import { headersOf } from '../headers.ts';
import { ADMISSION_CODES, CAPACITY_CODES, keyedErrors, RATE_HEADERS } from './keyed.ts';

const CODES: readonly ErrorCode[] = [
  'invalid_parameters',
  'unsupported_audio',
  'invalid_audio',
  'audio_too_long',
  ...ADMISSION_CODES,
  ...CAPACITY_CODES,
];

const MEBIBYTES = FILE_LIMITS.maxBytes / 1_048_576;

const FORM: JsonSchema = {
  type: 'object',
  required: ['file', 'model'],
  properties: {
    file: {
      type: 'string',
      format: 'binary',
      description: `A WAV, FLAC or Ogg Opus file of at most ${MEBIBYTES} MiB and ${FILE_LIMITS.maxSeconds / 3600} hours of audio. Its content determines the format. Any sample rate up to 192,000 Hz and up to 8 channels. A damaged file is refused.`,
    },
    model: { type: 'string', minLength: 1, description: 'Id of a model, as `GET /v1/models` lists it.' },
    response_format: {
      type: 'string',
      enum: [...RESPONSE_FORMATS],
      default: 'json',
      description: 'Format of the answer.',
    },
    'timestamp_granularities[]': {
      type: 'array',
      items: { type: 'string', enum: ['segment', 'word'] },
      description: 'With `word`, `verbose_json` lists words instead of segments.',
    },
    stream: {
      type: 'boolean',
      default: false,
      description:
        'Sends the transcript as server-sent events while it is recognized. `response_format` must then be `json` or `text`.',
    },
    language: { type: 'string', description: 'Ignored. The model determines the language.' },
  },
};

const TIMES: Record<'start' | 'end', JsonSchema> = {
  start: { type: 'number', description: 'Seconds from the start of the file.' },
  end: { type: 'number', description: 'Seconds from the start of the file.' },
};

const AVERAGE: JsonSchema = {
  type: 'number',
  maximum: 0,
  description: 'Mean logarithm of the confidences of the words. 0 if they are not known.',
};

/** Fields that clients of OpenAI's API expect. The recognizer has no values for them. */
const NEUTRAL: Record<string, JsonSchema> = {
  seek: { const: 0 },
  tokens: { type: 'array', maxItems: 0 },
  temperature: { const: 0 },
  compression_ratio: { const: 1 },
  no_speech_prob: { const: 0 },
};

const ANSWER: JsonSchema = {
  type: 'object',
  required: ['text', 'usage'],
  properties: {
    text: { type: 'string', description: 'The transcript.' },
    usage: {
      type: 'object',
      required: ['type', 'seconds'],
      properties: {
        type: { const: 'duration' },
        seconds: { type: 'integer', description: 'Charged seconds of audio.' },
      },
    },
    task: { const: 'transcribe', description: 'Only in `verbose_json`, as the fields below.' },
    language: { type: 'string', description: 'Language of the model.' },
    duration: { type: 'number', description: 'Seconds of audio in the file.' },
    words: {
      type: 'array',
      description: 'The words, with `timestamp_granularities[]=word`.',
      items: {
        type: 'object',
        required: ['word', 'start', 'end'],
        properties: { word: { type: 'string' }, ...TIMES },
      },
    },
    segments: {
      type: 'array',
      description: 'The transcript in parts of at most a few seconds, unless words were requested.',
      items: {
        type: 'object',
        required: ['id', 'start', 'end', 'text'],
        properties: { id: { type: 'integer' }, text: { type: 'string' }, avg_logprob: AVERAGE, ...TIMES, ...NEUTRAL },
      },
    },
  },
};

const EVENTS = [
  { type: 'transcript.text.delta', delta: 'wĩ' },
  { type: 'transcript.text.delta', delta: ' mwega' },
  { type: 'transcript.text.done', text: 'wĩ mwega', usage: { type: 'duration', seconds: 2 } },
]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .join('');

/** Describes POST /v1/audio/transcriptions. */
export function transcriptionsPath(): PathItem {
  const text = { schema: { type: 'string' } } as const;
  return {
    post: {
      operationId: 'transcribeFile',
      tags: ['Files'],
      summary: 'Transcribe a file',
      description:
        'Recognizes a file and returns its transcript. Clients of the OpenAI API can use it with another base URL and key. The request takes a place and credit like a session. It is charged like a stream of the same audio, and not at all if the service fails. Fields that tune other recognizers, such as `prompt` and `temperature`, are ignored.',
      security: [{ apiKey: [] }],
      requestBody: {
        required: true,
        description: 'A form with the file and the parameters.',
        content: { 'multipart/form-data': { schema: FORM } },
      },
      responses: {
        200: {
          description: 'The transcript, in the requested format.',
          headers: headersOf('X-Request-Id', 'Cache-Control', ...RATE_HEADERS),
          content: {
            'application/json': {
              schema: ANSWER,
              examples: {
                json: {
                  summary: 'json',
                  value: { text: 'wĩ mwega', usage: { type: 'duration', seconds: 2 } },
                },
              },
            },
            'text/plain': text,
            'text/vtt': text,
            'text/event-stream': {
              schema: {
                type: 'string',
                description:
                  'With `stream`. Each `transcript.text.delta` has the text that follows the text of the events before it. `transcript.text.done` has the whole text and the usage. An error after the first event is an event `error` with an error body.',
              },
              examples: { stream: { summary: 'stream', value: EVENTS } },
            },
          },
        },
        ...keyedErrors(CODES),
      },
      'x-codeSamples': TRANSCRIBE_FILE_SAMPLES,
    },
  };
}
