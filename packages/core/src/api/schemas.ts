import Type from 'typebox';
import type { Static, TProperties } from 'typebox';
import { AUDIO, MAX_AUDIO_SECONDS } from '../audio.ts';
import { END_REASONS, SESSION_STATES } from '../session.ts';
import type { EndReason } from '../session.ts';
import { ContextSize } from '../stream/context.ts';

/**
 * Builds the schema of a body of the HTTP API. The OpenAPI document is generated from these schemas. Requests are
 * checked against them, and in tests also responses.
 */
const exact = <P extends TProperties>(properties: P, description: string) =>
  Type.Object(properties, { additionalProperties: false, description });

const Uuid = (description: string) => Type.String({ format: 'uuid', description });
const DateTime = (description: string) => Type.String({ format: 'date-time', description });
const Milliseconds = (description: string) => Type.Integer({ minimum: 0, description });
const ModelId = Type.String({
  minLength: 1,
  description: 'Id of a model that GET /v1/models lists.',
  examples: ['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1'],
});

const audioFormat = {
  encoding: Type.Literal('pcm_s16le'),
  sample_rate_hz: Type.Literal(AUDIO.sampleRateHz),
  channels: Type.Literal(1),
};

const ModelContext = exact(
  {
    context_size: ContextSize('Value for `context` of a `config` message.'),
    chunk_ms: Type.Integer({
      minimum: 1,
      description: 'Duration of a chunk in milliseconds. Text can change once for each chunk.',
      examples: [1120],
    }),
    default: Type.Boolean({ description: 'Whether streams without a `config` message use it.' }),
  },
  'A context that the model supports. Shorter chunks lower the latency, longer ones raise the accuracy.',
);
export type ModelContext = Static<typeof ModelContext>;

export const Model = exact(
  {
    id: ModelId,
    object: Type.Literal('model'),
    capability: Type.Literal('asr.streaming'),
    language: Type.String({ description: 'Name of the language.', examples: ['Kikuyu'] }),
    language_code: Type.String({ description: 'Code of the language.', examples: ['ki'] }),
    max_audio_seconds: Type.Literal(MAX_AUDIO_SECONDS),
    audio: exact(audioFormat, 'The audio that the model takes.'),
    contexts: Type.Array(ModelContext, { minItems: 1, description: 'Contexts that the model supports.' }),
  },
  'A recognition model.',
);
export type Model = Static<typeof Model>;

export const ModelList = exact(
  { object: Type.Literal('list'), data: Type.Array(Model) },
  'The models that are installed.',
);

export const CreateSessionRequest = exact(
  {
    model: ModelId,
    max_audio_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_AUDIO_SECONDS,
        default: 60,
        description: 'Upper bound on the audio of the session; the reservation may be lower.',
      }),
    ),
  },
  'What a session is to be.',
);
export type CreateSessionRequest = Static<typeof CreateSessionRequest>;

export const AsrSession = exact(
  {
    id: Uuid('The session.'),
    object: Type.Literal('asr.session'),
    status: Type.Literal('reserved'),
    model: ModelId,
    websocket_url: Type.String({ format: 'uri', pattern: '^wss://', description: 'Where to stream.' }),
    websocket_protocols: Type.Tuple([Type.Literal('svc.realtime.v1'), Type.String({ pattern: '^svc\\.auth\\.' })], {
      description:
        'Offer both as WebSocket subprotocols, in this order. The second is a secret that works once: do not log it.',
    }),
    expires_at: DateTime('Until when the credential works: 60 seconds after creation.'),
    audio: exact(
      {
        ...audioFormat,
        max_audio_seconds: Type.Number({
          minimum: 1,
          maximum: MAX_AUDIO_SECONDS,
          description: 'The audio that was reserved: the limit of this session.',
        }),
        context_size: Type.Tuple([Type.Literal(56), Type.Literal(13)]),
      },
      'The audio that the session takes.',
    ),
    credits: exact(
      {
        unit: Type.Literal('audio_second'),
        reserved: Type.Number({ minimum: 1, description: 'Seconds reserved for this session.' }),
        remaining: Type.Number({ minimum: 0, description: 'Whole seconds still available after it.' }),
      },
      'What the session holds of the credit.',
    ),
  },
  'A reserved session. Relay it to the client; do not log it.',
);
export type AsrSession = Static<typeof AsrSession>;

export const UsageSession = exact(
  {
    id: Uuid('The session.'),
    model: ModelId,
    status: Type.Enum([...SESSION_STATES]),
    audio_ms: Milliseconds('Audio that was accepted.'),
    billable_ms: Milliseconds('Audio that was charged.'),
    created_at: DateTime('When it was reserved.'),
    completed_at: Type.Union([DateTime('When it ended.'), Type.Null()]),
  },
  'A session as the account sees it afterwards.',
);
export type UsageSession = Static<typeof UsageSession>;

export const SessionDetail = exact(
  {
    ...UsageSession.properties,
    end_reason: Type.Union([Type.Enum(Object.keys(END_REASONS) as EndReason[]), Type.Null()], {
      description: 'Why the session ended. Null until it is known.',
    }),
    close_code: Type.Union([Type.Integer({ minimum: 1000, maximum: 4999 }), Type.Null()], {
      description: 'Close code of the WebSocket. Null without a stream, and until it is known.',
    }),
  },
  'A session and how it ended.',
);
export type SessionDetail = Static<typeof SessionDetail>;

const Budget = exact(
  {
    monthly_ms: Milliseconds('Credit per month.'),
    remaining_ms: Milliseconds('Part that was not charged yet this month. Sessions may have reserved some of it.'),
    renews_at: DateTime('Start of the next month, in UTC. The unused part expires then.'),
  },
  'Monthly budget. It is a part of the credit above, and is charged first.',
);

export const CreditBalance = exact(
  {
    object: Type.Literal('credit_balance'),
    unit: Type.Literal('audio_millisecond'),
    available_ms: Milliseconds('Free to be reserved.'),
    reserved_ms: Milliseconds('Held by sessions that have not ended.'),
    consumed_ms: Milliseconds('Charged so far.'),
    budget: Type.Optional(Budget),
    recent_sessions: Type.Array(UsageSession, { maxItems: 20, description: 'Newest first.' }),
  },
  'The credit of the account.',
);
export type CreditBalance = Static<typeof CreditBalance>;

export const ErrorResponse = exact(
  {
    error: exact(
      {
        type: Type.String({ description: 'The class of error; one for each status.' }),
        code: Type.String({ description: 'The stable, specific reason.' }),
        message: Type.String({ description: 'For a person; safe to show.' }),
        request_id: Uuid('Quote it when asking for help. Never send keys or credentials.'),
      },
      'What went wrong.',
    ),
  },
  'The body of every error.',
);

export const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{1,128}$/;
export const MAX_BODY_BYTES = 16_384;
