import Type from 'typebox';
import type { Static, TProperties } from 'typebox';

/** Path of the realtime transcription, below the public address. It has the shapes of OpenAI's API. */
export const REALTIME_PATH = '/v1/realtime';

/** Limits of a realtime connection. The lifetime is the default of a setting. */
export const REALTIME_LIMITS = {
  /** Largest size of a message. */
  maxMessageBytes: 1_048_576,
  /** Invalid events that end a connection. Each one before is answered with an `error`. */
  maxInvalidEvents: 10,
  /** Longest lifetime of a connection. */
  lifetimeSeconds: 3600,
  /** Silence after which server VAD ends a turn, unless the client sets another. */
  defaultSilenceMs: 500,
} as const;

/** Values of `delay`, from the shortest chunks of audio to the longest. */
export const REALTIME_DELAYS = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export type RealtimeDelay = (typeof REALTIME_DELAYS)[number];

// Fields that are not listed tune other recognizers (`prompt`, `threshold`, `noise_reduction`). They are ignored.
const optional = <T extends TProperties>(fields: T) => Type.Optional(Type.Union([Type.Object(fields), Type.Null()]));

/** The `session` of a `session.update`. */
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
