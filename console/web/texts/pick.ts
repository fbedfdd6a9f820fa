export interface Picked {
  /** One of the supported languages. */
  readonly language: string;
  /** Locale of the user for that language. The region of the locale decides the form of numbers and dates. */
  readonly locale: string;
}

/** Returns the first preferred locale whose language is supported. Otherwise returns the fallback. */
export function pickLanguage(preferred: readonly string[], supported: readonly string[], fallback: string): Picked {
  for (const locale of preferred) {
    const [language = ''] = locale.toLowerCase().split('-');
    if (supported.includes(language)) return { language, locale };
  }
  return { language: fallback, locale: fallback };
}
