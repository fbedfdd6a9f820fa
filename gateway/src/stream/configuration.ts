import { AUDIO } from '@svc-asr/core';
import type { ConfigMessage, ContextSize, StreamErrorCode } from '@svc-asr/core';

/** Configuration that a client can choose for its stream. */
export interface Configuration {
  readonly context: ContextSize;
  /** Silence after a word that ends the utterance. Undefined if only flushes and resets end utterances. */
  readonly silenceMs: number | undefined;
}

/** Maximum number of configs that are queued before `ready`. Clients have no reason to send more. */
export const MAX_EARLY_CONFIGS = 16;

/** Error messages for configurations that a worker does not support. */
export const REFUSALS = {
  context: 'The model does not support this context.',
  endpointing: 'Endpointing is not available while the service is being upgraded. Retry later, or leave it out.',
} as const;

/** Returns the error for a `config` that is not allowed. Undefined if it is allowed. */
export function refuseConfig(
  modelLanguage: string,
  language: string | undefined,
  hasAudio: boolean,
): { code: StreamErrorCode; message?: string } | undefined {
  if (hasAudio) return { code: 'config_not_allowed' };
  if (language === undefined || language === modelLanguage) return undefined;
  return { code: 'invalid_config', message: `The model supports only the language "${modelLanguage}".` };
}

/** Returns the configuration that a `config` message selects. Absent fields get their defaults. */
export function buildConfiguration({ context, endpointing }: Omit<ConfigMessage, 'type'> = {}): Configuration {
  return { context: context ?? [...AUDIO.defaultContext], silenceMs: endpointing?.silence_ms };
}

export function isSameConfiguration(one: Configuration, other: Configuration): boolean {
  const isSameContext = one.context[0] === other.context[0] && one.context[1] === other.context[1];
  return isSameContext && one.silenceMs === other.silenceMs;
}
