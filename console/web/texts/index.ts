import { en } from './en.ts';
import { pickLanguage } from './pick.ts';

/**
 * Texts of the pages. To add a language, such as Kikuyu (`ki`) or Dholuo (`luo`), write a file with an object of this
 * type. Add the object to `LANGUAGES`.
 */
export type Texts = typeof en;

const LANGUAGES: Readonly<Record<string, Texts>> = { en };
const FALLBACK = 'en';

const picked = pickLanguage(navigator.languages, Object.keys(LANGUAGES), FALLBACK);

/** Locale of numbers and dates, such as `en-KE`. */
export const { locale } = picked;
/** Language of the texts, for the `lang` attribute of the document. */
export const { language } = picked;
/** Texts in the language of the browser. */
export const texts: Texts = LANGUAGES[language] ?? en;
