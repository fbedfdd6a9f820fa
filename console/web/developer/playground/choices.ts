import type { StreamConfig } from '@svc-asr/client/browser';
import type { OwnModelView } from '../../../src/responses.ts';

/** Values of the controls in the playground. */
export interface Choices {
  readonly model: string;
  /** Context as text, such as `56,13`. Empty for the default of the model. */
  readonly context: string;
  /** Silence that ends an utterance, in milliseconds, as text. Empty if silence does not end utterances. */
  readonly silence: string;
  readonly source: 'microphone' | 'file';
  readonly file: File | undefined;
}

export const NO_CHOICES: Choices = { model: '', context: '', silence: '', source: 'microphone', file: undefined };

/** Pauses that the playground offers, in milliseconds. With shorter pauses, utterances of the demo models end too early. */
export const SILENCES = [500, 1000, 2000] as const;

/** Maximum duration of the audio of one recognition in the playground. */
export const MAX_AUDIO_SECONDS = 60;

/** Largest audio file. Decoding a larger one would block the page. A minute of uncompressed stereo has 12 MB. */
export const MAX_FILE_BYTES = 20_000_000;

/**
 * Returns the choices that the playground shows at first. Prefers a model with a ready worker, because the other models
 * first have to start a worker.
 */
export function firstChoices(models: readonly OwnModelView[]): Choices {
  return { ...NO_CHOICES, model: models.find(({ ready }) => ready)?.id ?? '' };
}

/** Returns the chosen model, or the first model if the chosen one does not exist. */
export function chosenModel({ model }: Choices, models: readonly OwnModelView[]): OwnModelView | undefined {
  return models.find(({ id }) => id === model) ?? models[0];
}

/** Returns the configuration of the stream. A context that the model does not offer is left out. */
export function configOf({ context, silence }: Choices, model: OwnModelView): StreamConfig {
  const chosen = model.contexts.find(({ context_size: size }) => size.join(',') === context);
  return {
    language: model.language_code,
    ...(chosen !== undefined && { context: [chosen.context_size[0], chosen.context_size[1]] as [number, number] }),
    ...(silence !== '' && { endpointing: { silence_ms: Number(silence) } }),
  };
}

/** Reason why a playground session would be refused, or could make another session of the account be refused. */
export type Conflict = 'noCredit' | 'allInUse' | 'onlySession' | 'lastSession' | undefined;

/**
 * Returns how a playground session would conflict with the credit or the session limit of the account. Undefined if
 * there is no conflict.
 */
export function conflictOf(limit: number, account: { live: number; availableMs: number } | undefined): Conflict {
  if (account !== undefined && account.availableMs < 1000) return 'noCredit';
  if (account !== undefined && account.live >= limit) return 'allInUse';
  if (limit === 1) return 'onlySession';
  return account !== undefined && limit - account.live <= 1 ? 'lastSession' : undefined;
}
