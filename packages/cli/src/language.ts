import type { Model } from '@svc-asr/core';

/**
 * Returns the models for a language: a BCP 47 tag such as `ki-KE`, a code such as `kik`, or a name such as `Kikuyu`.
 * Models whose code is the whole tag are preferred to those that share only its language.
 */
export function modelsFor(models: readonly Model[], language: string): Model[] {
  const [tag, wanted] = [canonical(language), language.toLowerCase()];
  const exact = models.filter((model) => canonical(model.language_code) === tag);
  if (exact.length > 0) return exact;
  const named = models.filter((model) => model.language.toLowerCase() === wanted);
  if (named.length > 0) return named;
  return models.filter((model) => primary(canonical(model.language_code)) === primary(tag));
}

/** Returns the usual form of a tag, for example `ki-KE` for `kik-ke`. Returns other text in lower case. */
function canonical(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? tag.toLowerCase();
  } catch {
    return tag.toLowerCase();
  }
}

function primary(tag: string): string {
  return tag.split('-')[0] ?? tag;
}
