import { AUDIO, PHRASE_LIMITS, receivedNote } from '@svc-asr/core';
import type { ConfigMessage, ContextSize, Phrase, RelayAnswer, StreamErrorCode } from '@svc-asr/core';

/** Configuration that a client can choose for its stream. */
export interface Configuration {
  readonly context: ContextSize;
  /**
   * Minimum duration of a pause that ends the utterance. The pause must follow a word. Undefined if only flushes and
   * resets end utterances.
   */
  readonly silenceMs: number | undefined;
  /** Phrases that the search prefers, with their boosts. Undefined if there are none. */
  readonly phrases?: readonly Required<Phrase>[] | undefined;
}

/** Maximum number of `config` messages that are queued before `ready` is sent. Clients have no reason to send more. */
export const MAX_EARLY_CONFIGS = 16;

/** Error messages for parts of a configuration that a worker does not support. */
const REFUSALS = {
  endpointing: 'Endpointing is not available while the service is being upgraded. Retry later, or leave it out.',
  phrases: 'The model does not support phrases. Leave them out.',
  phrasesNotYet: 'Phrases are not available while the service is being upgraded. Retry later, or leave them out.',
} as const;

/** Returns the error for a `config` that is not allowed. Undefined if it is allowed. */
export function refuseConfig(
  modelLanguage: string,
  language: string | undefined,
  hasAudio: boolean,
): { code: StreamErrorCode; message?: string } | undefined {
  if (hasAudio) return { code: 'config_not_allowed' };
  if (language === undefined || language === modelLanguage) return undefined;
  const message = `The model supports only the language "${modelLanguage}"${receivedNote(language)}.`;
  return { code: 'invalid_config', message };
}

/** Returns the configuration that a `config` message selects. Absent fields get their defaults. */
export function buildConfiguration({ context, endpointing, phrases }: Omit<ConfigMessage, 'type'> = {}): Configuration {
  return {
    context: context ?? [...AUDIO.defaultContext],
    silenceMs: endpointing?.silence_ms,
    phrases: phrases?.length ? phrases.map(withBoost) : undefined,
  };
}

function withBoost({ text, boost = PHRASE_LIMITS.defaultBoost }: Phrase): Required<Phrase> {
  return { text, boost };
}

export function isSameConfiguration(one: Configuration, other: Configuration): boolean {
  const isSameContext = one.context[0] === other.context[0] && one.context[1] === other.context[1];
  const isSamePhrases = JSON.stringify(one.phrases) === JSON.stringify(other.phrases);
  return isSameContext && one.silenceMs === other.silenceMs && isSamePhrases;
}

/** Part of a configuration that a worker has not applied. */
export type MissingPart = keyof typeof REFUSALS;

/** Part of a configuration that a worker has refused. */
export type RefusedPart = MissingPart | 'context';

/** Describes why a worker has refused a configuration. */
export function describeRefusal(part: RefusedPart, { context }: Configuration): string {
  if (part !== 'context') return REFUSALS[part];
  return `The model does not support the context [${context.join(', ')}]. GET /v1/models lists its contexts.`;
}

/**
 * Returns a part of the configuration that a worker has not applied to its stream. Undefined if it has applied all
 * parts.
 */
export function findMissingPart(
  { silenceMs, phrases }: Configuration,
  opened: Extract<RelayAnswer, { type: 'opened' }>,
): MissingPart | undefined {
  if (silenceMs !== undefined && opened.endpointing !== true) return 'endpointing';
  if (phrases === undefined || opened.phrases === true) return undefined;
  return opened.phrases === false ? 'phrases' : 'phrasesNotYet';
}

/**
 * Returns whether the client is turning on a part of the configuration. `before` is the configuration before the
 * client's change. It is undefined if the client is not changing the configuration.
 */
export function isNewPart(part: MissingPart, before: Configuration | undefined): boolean {
  if (before === undefined) return false;
  return part === 'endpointing' ? before.silenceMs === undefined : before.phrases === undefined;
}
