import { randomUUID } from 'node:crypto';

/** An event for a client, without its event id. */
export interface ServerEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Content of an `error` event. */
export interface ErrorDetail {
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly param?: string | undefined;
  /** Id of the client's event that caused the error. */
  readonly eventId?: string | undefined;
}

/** Creates an id in the format of OpenAI: a prefix and 32 hexadecimal digits. */
export function createId(prefix: 'event' | 'item' | 'sess'): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`;
}

/** Formats an event as the text of a message. */
export function writeEvent({ type, ...fields }: ServerEvent): string {
  return JSON.stringify({ type, event_id: createId('event'), ...fields });
}

export function errorEvent({ type, code, message, param, eventId }: ErrorDetail): ServerEvent {
  return { type: 'error', error: { type, code, message, param: param ?? null, event_id: eventId ?? null } };
}
