import type { Model } from '@svc-asr/core';
import { UsageError } from './exit.ts';

export const LATENCIES = ['low', 'balanced', 'accurate'] as const;

/** Returns the context for --latency: the shortest chunk, the middle one or the longest. */
export function contextFor(latency: string, model: Model | undefined): [number, number] {
  const position = (LATENCIES as readonly string[]).indexOf(latency);
  if (position === -1) throw new UsageError(`--latency must be one of ${LATENCIES.join(', ')}`);
  // Services of earlier versions list no contexts.
  const { contexts = [] }: Partial<Model> = model ?? {};
  const sorted = [...contexts].sort((one, other) => one.chunk_ms - other.chunk_ms);
  const chosen = sorted[Math.round(((sorted.length - 1) * position) / (LATENCIES.length - 1))];
  if (chosen === undefined) {
    throw new UsageError('The service does not list the contexts of the model. Use --context instead of --latency.');
  }
  return chosen.context_size;
}
