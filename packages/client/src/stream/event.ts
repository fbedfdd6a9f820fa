import type { ServerMessage } from '@svc-asr/core';

/** An event of the stream. Its kind is in the field `type`. */
export type StreamEvent = ServerMessage;

const TYPES: ReadonlySet<unknown> = new Set<StreamEvent['type']>([
  'status',
  'ready',
  'config_ack',
  'reset_ack',
  'speech_started',
  'delta',
  'speech_ended',
  'final',
  'error',
]);

/** Parses a message of the service. Unknown types come from a newer service and are ignored. */
export function parseEvent(data: unknown): StreamEvent | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const value = JSON.parse(data) as { type?: unknown } | null;
    return TYPES.has(value?.type) ? (value as StreamEvent) : undefined;
  } catch {
    return undefined;
  }
}
