import Type from 'typebox';
import type { Static } from 'typebox';
import { STREAM_LIMITS } from './limits.ts';

/** Builds the schema of the endpointing configuration of a stream. */
export const Endpointing = (description: string) =>
  Type.Object(
    {
      silence_ms: Type.Integer({
        minimum: STREAM_LIMITS.minSilenceMs,
        maximum: STREAM_LIMITS.maxSilenceMs,
        description: 'Silence after a word that ends the utterance, in milliseconds of audio.',
        examples: [500],
      }),
    },
    { description },
  );
export type Endpointing = Static<ReturnType<typeof Endpointing>>;
