import Type from 'typebox';
import type { Static, TProperties } from 'typebox';
import { AUDIO } from '../audio.ts';
import { ContextSize } from './context.ts';

const exact = <P extends TProperties>(properties: P, description: string) =>
  Type.Object(properties, { additionalProperties: false, description });

const Utterance = (description: string) => Type.Integer({ minimum: 1, description });
const StreamMs = (description: string) => Type.Integer({ minimum: 0, description });
const ChunkSamples = Type.Integer({
  minimum: 1,
  description: 'Samples that the model takes at a time. Text can change once for each chunk.',
  examples: [17_920],
});

export const STREAM_STATES = ['connecting', 'waiting_for_capacity', 'initializing'] as const;

export const StatusMessage = exact(
  {
    type: Type.Literal('status'),
    state: Type.Enum([...STREAM_STATES], { description: 'What the session waits for.' }),
    message: Type.String({ description: 'The same for a person.' }),
  },
  'Tells what happens while the session initializes. Zero or more of them, only before `ready`.',
);
export type StatusMessage = Static<typeof StatusMessage>;

export const ReadyMessage = exact(
  {
    type: Type.Literal('ready'),
    session_id: Type.String({ format: 'uuid', description: 'The session.' }),
    model: Type.String({ description: 'The model that listens.', examples: ['svc-asr-kikuyu-v1'] }),
    chunk_samples: ChunkSamples,
    sample_rate_hz: Type.Literal(AUDIO.sampleRateHz),
    context_size: ContextSize('The context in force.'),
    max_frame_bytes: Type.Integer({ minimum: 2, description: 'Largest binary frame.', examples: [65_536] }),
    max_audio_seconds: Type.Number({ minimum: 1, description: 'The audio that was reserved.', examples: [60] }),
  },
  'The stream is configured: audio may be sent from now on. Comes once.',
);
export type ReadyMessage = Static<typeof ReadyMessage>;

export const ConfigAckMessage = exact(
  {
    type: Type.Literal('config_ack'),
    language: Type.String({ description: 'The language code in force.', examples: ['ki'] }),
    context_size: ContextSize('The context in force.'),
    chunk_samples: ChunkSamples,
  },
  'Answers `config` with what is in force now.',
);
export type ConfigAckMessage = Static<typeof ConfigAckMessage>;

export const ResetAckMessage = exact(
  { type: Type.Literal('reset_ack'), utterance: Utterance('Number of the utterance that starts.') },
  'Answers `reset`. Nothing of the dropped utterance comes after it.',
);
export type ResetAckMessage = Static<typeof ResetAckMessage>;

export const DeltaMessage = exact(
  {
    type: Type.Literal('delta'),
    text: Type.String({ description: 'The whole transcript of the utterance so far: replace, do not append.' }),
    utterance: Utterance('Number of the utterance; the first is 1.'),
    audio_end_ms: StreamMs('Up to where the audio of the stream is reflected in the text.'),
  },
  'The evolving transcript of the utterance.',
);
export type DeltaMessage = Static<typeof DeltaMessage>;

export const Word = exact(
  {
    text: Type.String({ description: 'The word.' }),
    start_ms: StreamMs('Where it starts in the audio of the stream.'),
    end_ms: StreamMs('Where it ends.'),
  },
  'A word of a finished transcript.',
);
export type Word = Static<typeof Word>;

export const FinalMessage = exact(
  {
    type: Type.Literal('final'),
    text: Type.String({ description: 'The transcript of the utterance; empty where nothing was said.' }),
    utterance: Utterance('Number of the utterance.'),
    audio_start_ms: StreamMs('Where the utterance starts in the audio of the stream.'),
    audio_end_ms: StreamMs('Where it ends.'),
    words: Type.Array(Word, { description: 'The words in order, with their times.' }),
  },
  'The finished transcript of an utterance. It never changes afterwards.',
);
export type FinalMessage = Static<typeof FinalMessage>;

export const ErrorMessage = exact(
  {
    type: Type.Literal('error'),
    code: Type.String({ description: 'The stable reason.', examples: ['invalid_config'] }),
    message: Type.String({ description: 'For a person.' }),
    fatal: Type.Boolean({ description: 'True: the server closes the stream next.' }),
  },
  'Something went wrong. Unless `fatal`, the stream goes on.',
);
export type ErrorMessage = Static<typeof ErrorMessage>;

/** Every message that the server sends, by its `type`. */
export const SERVER_MESSAGES = {
  status: StatusMessage,
  ready: ReadyMessage,
  config_ack: ConfigAckMessage,
  reset_ack: ResetAckMessage,
  delta: DeltaMessage,
  final: FinalMessage,
  error: ErrorMessage,
} as const;

export type ServerMessage =
  StatusMessage | ReadyMessage | ConfigAckMessage | ResetAckMessage | DeltaMessage | FinalMessage | ErrorMessage;
