import Type from 'typebox';
import type { Static, TProperties } from 'typebox';

/**
 * Path of the realtime transcription, below the public address. Its messages have the format of OpenAI's Realtime API.
 */
export const REALTIME_PATH = '/v1/realtime';

/** Limits of a realtime connection. `lifetimeSeconds` is the default of a setting, and the others are fixed. */
export const REALTIME_LIMITS = {
  /** Largest size of a message of the client. */
  maxMessageBytes: 1_048_576,
  /**
   * Number of invalid events after which the connection ends. The same number applies to events that exceed the rate
   * limit, but they are counted separately. The service answers each event of both kinds with an `error` event.
   */
  maxInvalidEvents: 10,
  /** Maximum lifetime of a connection. */
  lifetimeSeconds: 3600,
  /** Silence after which server VAD (voice activity detection) ends a turn, unless the client sets another duration. */
  defaultSilenceMs: 500,
} as const;

/** Values of `delay` in a `session.update`, from the shortest chunks of audio to the longest. */
export const REALTIME_DELAYS = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export type RealtimeDelay = (typeof REALTIME_DELAYS)[number];

// Fields that are not listed here are ignored. Most of them, such as `prompt`, `threshold` and `noise_reduction`, tune
// recognizers that this service does not have.
const optional = <T extends TProperties>(fields: T) => Type.Optional(Type.Union([Type.Object(fields), Type.Null()]));

/** Schema of the field `session` of a `session.update` event. */
export const RealtimeUpdate = Type.Object({
  type: Type.Optional(Type.Literal('transcription')),
  audio: optional({
    input: optional({
      format: optional({
        type: Type.Optional(Type.Enum(['audio/pcm', 'audio/pcmu', 'audio/pcma'])),
        rate: Type.Optional(Type.Enum([16_000, 24_000, 8000])),
      }),
      transcription: optional({
        model: Type.Optional(Type.Union([Type.String({ maxLength: 256 }), Type.Null()])),
        delay: Type.Optional(Type.Union([Type.Enum([...REALTIME_DELAYS]), Type.Null()])),
      }),
      turn_detection: optional({
        type: Type.Optional(Type.Enum(['server_vad', 'semantic_vad'])),
        silence_duration_ms: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
      }),
    }),
  }),
});
export type RealtimeUpdate = Static<typeof RealtimeUpdate>;
