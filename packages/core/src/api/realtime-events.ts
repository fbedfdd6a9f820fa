import Type from 'typebox';
import type { TProperties, TSchema } from 'typebox';
import { REALTIME_DELAYS, RealtimeUpdate } from './realtime.ts';

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const exact = <P extends TProperties>(fields: P) => Type.Object(fields, { additionalProperties: false });
const AudioTime = (description: string) => Type.Number({ minimum: 0, description });

type Build = (type: string, description: string, fields: TProperties) => TSchema;

/** Builds the schema of an event that a client sends. Fields that are not listed are ignored. */
const fromClient: Build = (type, description, fields) =>
  Type.Object(
    {
      type: Type.Literal(type),
      event_id: Type.Optional(Type.String({ description: 'Id that an `error` about this event repeats.' })),
      ...fields,
    },
    { description },
  );

/** Builds the schema of an event that the server sends. */
const fromServer: Build = (type, description, fields) =>
  Type.Object(
    { type: Type.Literal(type), event_id: Type.String({ description: 'Id of the event.' }), ...fields },
    { additionalProperties: false, description },
  );

const ItemId = Type.String({ description: 'Id of the turn. All events of a turn have the same id.' });

const Session = exact({
  id: Type.String({ description: 'Id of the connection.' }),
  object: Type.Literal('realtime.transcription_session'),
  type: Type.Literal('transcription'),
  expires_at: Type.Integer({ description: 'End of the lifetime of the connection, in seconds since 1970.' }),
  audio: exact({
    input: exact({
      format: exact({
        type: Type.Enum(['audio/pcm', 'audio/pcmu', 'audio/pcma']),
        rate: Type.Optional(Type.Enum([16_000, 24_000])),
      }),
      transcription: nullable(
        exact({
          model: Type.String(),
          language: Type.Optional(Type.String({ description: 'Language code of the model.' })),
          delay: Type.Enum([...REALTIME_DELAYS]),
        }),
      ),
      noise_reduction: Type.Null(),
      turn_detection: nullable(
        exact({ type: Type.Literal('server_vad'), silence_duration_ms: Type.Integer({ minimum: 0 }) }),
      ),
    }),
  }),
  include: Type.Null(),
});

const TRANSCRIPTION = 'conversation.item.input_audio_transcription';
const ofItem = { item_id: ItemId, content_index: Type.Literal(0) };
const event = (build: Build, type: string, description: string, fields: TProperties): [string, TSchema] => [
  type,
  build(type, description, fields),
];

/** Events that a client sends on a realtime connection, by type. */
export const REALTIME_CLIENT_EVENTS: Readonly<Record<string, TSchema>> = Object.fromEntries([
  event(fromClient, 'session.update', 'Merges fields into the configuration.', { session: RealtimeUpdate }),
  event(fromClient, 'input_audio_buffer.append', 'Adds audio.', {
    audio: Type.String({ description: 'Audio in base64, of whole samples in the configured format.' }),
  }),
  event(fromClient, 'input_audio_buffer.commit', 'Ends the turn. Its transcript follows.', {}),
  event(fromClient, 'input_audio_buffer.clear', 'Drops the audio that was not committed.', {}),
]);

/** Events that the server sends on a realtime connection, by type. */
export const REALTIME_SERVER_EVENTS: Readonly<Record<string, TSchema>> = Object.fromEntries([
  event(fromServer, 'session.created', 'The first event of a connection.', { session: Session }),
  event(fromServer, 'session.updated', 'Answers `session.update` with the effective configuration.', {
    session: Session,
  }),
  event(fromServer, 'input_audio_buffer.speech_started', 'The first word of a turn, with turn detection.', {
    audio_start_ms: AudioTime('Start of the first word, from the first audio of the connection.'),
    item_id: ItemId,
  }),
  event(fromServer, 'input_audio_buffer.speech_stopped', 'The end of a turn, with turn detection.', {
    audio_end_ms: AudioTime('End of the last word, from the first audio of the connection.'),
    item_id: ItemId,
  }),
  event(fromServer, 'input_audio_buffer.committed', 'The audio of a turn is complete.', {
    item_id: ItemId,
    previous_item_id: nullable(Type.String({ description: 'Id of the turn before. Null for the first one.' })),
  }),
  event(fromServer, 'input_audio_buffer.cleared', 'Answers `input_audio_buffer.clear`.', {}),
  event(fromServer, `${TRANSCRIPTION}.delta`, 'New text of a turn. Append it to the text before.', {
    ...ofItem,
    delta: Type.String(),
  }),
  event(fromServer, `${TRANSCRIPTION}.completed`, 'The transcript of a turn.', {
    ...ofItem,
    transcript: Type.String(),
    usage: exact({ type: Type.Literal('duration'), seconds: AudioTime('Audio of the turn, in seconds.') }),
  }),
  event(fromServer, 'error', 'An event was not accepted, or the connection is refused.', {
    error: exact({
      type: Type.String(),
      code: Type.String({ description: 'Stable reason of the error.' }),
      message: Type.String(),
      param: nullable(Type.String({ description: 'Field that is not valid.' })),
      event_id: nullable(Type.String({ description: 'Id of the event of the client.' })),
    }),
  }),
]);
