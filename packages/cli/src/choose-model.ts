import type { Model } from '@svc-asr/core';
import { UsageError } from './exit.ts';
import { modelsFor } from './language.ts';

/** Asks the user for one of several models. Undefined if there is no user to ask, or if the user gives no answer. */
export type AskModel = (models: readonly Model[]) => Promise<Model | undefined>;

/** Returns the model to use: the only one that fits the language, or the one that the user selects. */
export async function chooseModel(
  models: readonly Model[],
  language: string | undefined,
  ask: AskModel,
): Promise<Model> {
  if (models.length === 0) throw new UsageError('The service has no models.');
  const fitting = language === undefined ? models : modelsFor(models, language);
  const [first, second] = fitting;
  if (first === undefined) {
    throw new UsageError(
      `The service has no model for the language ${language ?? ''}. Available languages: ${languagesOf(models)}.`,
    );
  }
  if (second === undefined) return first;
  const chosen = await ask(fitting);
  if (chosen !== undefined) return chosen;
  if (new Set(fitting.map((model) => model.language_code)).size > 1) {
    throw new UsageError(`Select the language with --language. Available languages: ${languagesOf(fitting)}.`);
  }
  const ids = fitting.map(({ id }) => id).join(', ');
  throw new UsageError(`Several models support the language ${first.language_code}. Select one with --model: ${ids}.`);
}

function languagesOf(models: readonly Model[]): string {
  return [...new Set(models.map((model) => `${model.language_code} (${model.language})`))].join(', ');
}
