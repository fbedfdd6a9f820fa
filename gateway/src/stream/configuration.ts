import { AUDIO } from '@svc-asr/core';
import type { ConfigMessage, ContextSize } from '@svc-asr/core';

/** What the client can configure of its stream. */
export interface Configuration {
  readonly context: ContextSize;
  /** Silence after a word that ends the utterance. Undefined if only flushes and resets do. */
  readonly silenceMs: number | undefined;
}

/** Returns the configuration of a `config` message. Absent fields take their defaults. */
export function buildConfiguration({ context, endpointing }: Omit<ConfigMessage, 'type'> = {}): Configuration {
  return { context: context ?? [...AUDIO.defaultContext], silenceMs: endpointing?.silence_ms };
}

export function isSameConfiguration(one: Configuration, other: Configuration): boolean {
  const isSameContext = one.context[0] === other.context[0] && one.context[1] === other.context[1];
  return isSameContext && one.silenceMs === other.silenceMs;
}
