import Type from 'typebox';
import type { Static, TProperties } from 'typebox';
import { AUDIO } from '../audio.ts';
import { ContextSize } from './context.ts';
import { Endpointing } from './endpointing.ts';
import { Phrases } from './phrases.ts';

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
    message: Type.String({ description: 'The same as a readable text.' }),
  },
  'Progress while the session initializes. Sent zero or more times, only before `ready`.',
);
export type StatusMessage = Static<typeof StatusMessage>;

export const ReadyMessage = exact(
  {
    type: Type.Literal('ready'),
    session_id: Type.String({ format: 'uuid', description: 'Id of the session.' }),
    model: Type.String({ description: 'Model of the session.', examples: ['svc-asr-kikuyu-v1'] }),
    chunk_samples: ChunkSamples,
    sample_rate_hz: Type.Literal(AUDIO.sampleRateHz),
    context_size: ContextSize('Effective context.'),
    max_frame_bytes: Type.Integer({ minimum: 2, description: 'Maximum size of a binary frame.', examples: [65_536] }),
    max_audio_seconds: Type.Number({ minimum: 1, description: 'Seconds of audio that are reserved.', examples: [60] }),
  },
  'The stream is configured and accepts audio from now on. Sent once.',
);
export type ReadyMessage = Static<typeof ReadyMessage>;

export const ConfigAckMessage = exact(
  {
    type: Type.Literal('config_ack'),
    language: Type.String({ description: 'Effective language code.', examples: ['ki'] }),
    context_size: ContextSize('Effective context.'),
    chunk_samples: ChunkSamples,
    endpointing: Type.Optional(Endpointing('Effective endpointing. Absent if it is off.')),
    phrases: Type.Optional(Phrases('Effective phrases with their boosts. Absent if there are none.')),
  },
  'Answers `config` with the effective configuration.',
);
export type ConfigAckMessage = Static<typeof ConfigAckMessage>;

export const ResetAckMessage = exact(
  { type: Type.Literal('reset_ack'), utterance: Utterance('Number of the utterance that starts.') },
  'Answers `reset`. Nothing about the dropped utterance follows it.',
);
export type ResetAckMessage = Static<typeof ResetAckMessage>;

export const DeltaMessage = exact(
  {
    type: Type.Literal('delta'),
    text: Type.String({ description: 'The whole transcript of the utterance so far: replace, do not append.' }),
    utterance: Utterance('Number of the utterance; the first is 1.'),
    audio_end_ms: StreamMs('End of the transcribed audio, from the start of the stream.'),
  },
  'The evolving transcript of the utterance.',
);
export type DeltaMessage = Static<typeof DeltaMessage>;

export const SpeechStartedMessage = exact(
  {
    type: Type.Literal('speech_started'),
    utterance: Utterance('Number of the utterance.'),
    audio_start_ms: StreamMs('Start of the first word, from the start of the stream.'),
  },
  'The first word of the utterance was recognized. Sent once for each utterance with speech, before its first `delta`, if endpointing is on.',
);
export type SpeechStartedMessage = Static<typeof SpeechStartedMessage>;

export const SpeechEndedMessage = exact(
  {
    type: Type.Literal('speech_ended'),
    utterance: Utterance('Number of the utterance.'),
    audio_end_ms: StreamMs('End of the last word, from the start of the stream.'),
  },
  'The utterance with speech has ended, at a pause or by `flush`. Its `final` follows. Sent if endpointing is on.',
);
export type SpeechEndedMessage = Static<typeof SpeechEndedMessage>;

export const Word = exact(
  {
    text: Type.String({ description: 'The word.' }),
    start_ms: StreamMs('Start of the word, from the start of the stream.'),
    end_ms: StreamMs('End of the word, from the start of the stream.'),
    confidence: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Estimated probability that the word is right. Absent if the worker does not report it.',
        examples: [0.973],
      }),
    ),
  },
  'A word of a finished transcript.',
);
export type Word = Static<typeof Word>;

export const FinalMessage = exact(
  {
    type: Type.Literal('final'),
    text: Type.String({ description: 'The transcript of the utterance; empty if there was no speech.' }),
    utterance: Utterance('Number of the utterance.'),
    audio_start_ms: StreamMs('Start of the utterance, from the start of the stream.'),
    audio_end_ms: StreamMs('End of the utterance, from the start of the stream.'),
    words: Type.Array(Word, { description: 'The words in order, with their times and confidences.' }),
    endpoint: Type.Optional(
      Type.Literal(true, { description: 'Present if a pause has ended the utterance, and not `flush`.' }),
    ),
  },
  'The finished transcript of an utterance. It never changes afterwards.',
);
export type FinalMessage = Static<typeof FinalMessage>;

export const ErrorMessage = exact(
  {
    type: Type.Literal('error'),
    code: Type.String({ description: 'Stable reason of the error.', examples: ['invalid_config'] }),
    message: Type.String({ description: 'Readable description of the error.' }),
    fatal: Type.Boolean({ description: 'Whether the server closes the stream next.' }),
  },
  'Something went wrong. The stream continues unless `fatal` is true.',
);
export type ErrorMessage = Static<typeof ErrorMessage>;

/** Messages that the server sends, by `type`. */
export const SERVER_MESSAGES = {
  status: StatusMessage,
  ready: ReadyMessage,
  config_ack: ConfigAckMessage,
  reset_ack: ResetAckMessage,
  speech_started: SpeechStartedMessage,
  delta: DeltaMessage,
  speech_ended: SpeechEndedMessage,
  final: FinalMessage,
  error: ErrorMessage,
} as const;

export type ServerMessage =
  | StatusMessage
  | ReadyMessage
  | ConfigAckMessage
  | ResetAckMessage
  | SpeechStartedMessage
  | DeltaMessage
  | SpeechEndedMessage
  | FinalMessage
  | ErrorMessage;
