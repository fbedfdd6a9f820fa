import type { Model } from '@svc-asr/core';
import { UsageError } from './exit.ts';

/** Returns the default model: the only one of the language, or the first one if no language is given. */
export function chooseModel(models: readonly Model[], language: string | undefined): string {
  const fitting = models.filter((model) => language === undefined || model.language_code === language);
  const [first] = fitting;
  if (first === undefined) {
    if (models.length === 0) throw new UsageError('The service has no models.');
    const codes = [...new Set(models.map((model) => model.language_code))].join(', ');
    throw new UsageError(`The service has no model for the language ${language ?? ''}. Available languages: ${codes}.`);
  }
  if (language !== undefined && fitting.length > 1) {
    const ids = fitting.map(({ id }) => id).join(', ');
    throw new UsageError(`Several models support the language ${language}. Select one with --model: ${ids}.`);
  }
  return first.id;
}
