import { createInterface } from 'node:readline/promises';
import type { Model } from '@svc-asr/core';
import type { AskModel } from './choose-model.ts';
import type { Invocation } from './command.ts';
import { InterruptedError } from './exit.ts';

/**
 * Creates a function that asks the user for a model on the terminal. Without a terminal, with --json and at Ctrl-D, it
 * returns undefined.
 */
export function askModel({ stdin, stderr, json }: Pick<Invocation, 'stdin' | 'stderr' | 'json'>): AskModel {
  return async (models) => {
    if (json || stdin.isTTY !== true || stderr.isTTY !== true) return undefined;
    const list = models.map((model, at) => `  ${at + 1}  ${model.language} (${model.language_code}), ${model.id}\n`);
    stderr.write(`Several models are installed:\n${list.join('')}`);
    const reader = createInterface({ input: stdin, output: stderr });
    const ended = new AbortController();
    reader.once('SIGINT', () => ended.abort(new InterruptedError('stopped with Ctrl-C')));
    // The user pressed Ctrl-D, or the terminal was closed.
    reader.once('close', () => ended.abort());
    try {
      for (;;) {
        const answer = await reader.question('Language: ', { signal: ended.signal });
        const chosen = findModel(models, answer.trim());
        if (chosen !== undefined) return chosen;
      }
    } catch (error) {
      if (ended.signal.reason instanceof InterruptedError) throw ended.signal.reason;
      if (ended.signal.aborted) return undefined;
      throw error;
    } finally {
      reader.close();
    }
  };
}

/** Returns the model that an answer names by its number, language code, language or id. */
export function findModel(models: readonly Model[], answer: string): Model | undefined {
  const text = answer.toLowerCase();
  return models.find(
    ({ id, language, language_code: code }, at) =>
      text !== '' && [String(at + 1), code, language, id].some((name) => name.toLowerCase() === text),
  );
}
