import Type from 'typebox';
import type { Static } from 'typebox';
import { PHRASE_LIMITS } from './limits.ts';

const WORD = "[\\p{L}\\p{M}\\p{N}'\u2019-]+";

/** Rule for the text of a phrase, as a part of sentences in descriptions and error messages. */
export const PHRASE_TEXT_RULE =
  'must consist of words of letters, digits, apostrophes and hyphens, with one space between two words';

/** A word or several words that the client expects in the audio. */
export const Phrase = Type.Object({
  text: Type.String({
    minLength: 1,
    maxLength: PHRASE_LIMITS.maxCharacters,
    pattern: `^${WORD}( ${WORD})*$`,
    description: `One or more words. The text ${PHRASE_TEXT_RULE}. Case does not matter.`,
    examples: ["Murang'a"],
  }),
  boost: Type.Optional(
    Type.Number({
      minimum: PHRASE_LIMITS.minBoost,
      maximum: PHRASE_LIMITS.maxBoost,
      description: `Strength of the preference. ${PHRASE_LIMITS.defaultBoost} if absent. A higher boost finds the phrase more often, but also where it was not spoken.`,
      examples: [PHRASE_LIMITS.defaultBoost],
    }),
  ),
});
export type Phrase = Static<typeof Phrase>;

/** Builds the schema of the phrases of a stream. */
export const Phrases = (description: string) => Type.Array(Phrase, { maxItems: PHRASE_LIMITS.maxPhrases, description });
