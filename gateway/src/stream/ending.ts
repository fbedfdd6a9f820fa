import { END_REASONS } from '@svc-asr/core';
import type { CloseCodeNumber, CloseReason, EndReason, SessionEnd, StreamErrorCode } from '@svc-asr/core';
import type { StreamEnd } from './session.ts';

const CLIENT_CLOSED = ['client closed', 'client closed before ready'] as const;

/** Outcome, close code and reason with which a stream ends. */
export interface Ending {
  outcome: StreamEnd['outcome'];
  /** Close code that the gateway sends to the client. */
  code: CloseCodeNumber;
  reason: CloseReason | StreamErrorCode | (typeof CLIENT_CLOSED)[number];
  error?: StreamErrorCode;
  message?: string;
  /** Close code that the client has sent. 1006 if the connection broke. */
  clientCode?: number;
}

export const PROTOCOL_VIOLATION: Ending = {
  outcome: 'completed',
  code: 4400,
  reason: 'invalid_message',
  error: 'invalid_message',
  message: 'The client violated the WebSocket protocol (RFC 6455).',
};

/** Ending of a stream whose reservation is used up. */
export const AUDIO_LIMIT_REACHED: Ending = { outcome: 'completed', code: 1000, reason: 'audio_limit_reached' };

/** Ending of a stream that has reached its lifetime. */
export const TIME_LIMIT_REACHED: Ending = { outcome: 'completed', code: 1000, reason: 'session_time_limit' };

/**
 * Returns the ending of a stream whose account is not active. If the Tenant was deleted, the stream is free of charge.
 */
export function accountEnded(state: string): Ending {
  const outcome = state === 'Deleted' ? 'failed' : 'completed';
  return { outcome, code: 4403, reason: 'account_suspended', error: 'account_suspended' };
}

/** Returns the ending of a stream whose connection was closed while the stream was not ending yet. */
export function closedByClient(ready: boolean, clientCode: number): Ending {
  return { outcome: 'completed', code: 1000, reason: CLIENT_CLOSED[ready ? 0 : 1], clientCode };
}

/**
 * Returns the ending of a cancelled stream. If the stream was already ending free of charge, it stays free of charge.
 */
export function cancelled(before: Ending | undefined): Ending {
  return { outcome: before?.outcome ?? 'completed', code: 1000, reason: 'cancelled' };
}

/** Returns the end of the session in the form that GET /v1/asr/sessions/{id} reports to the account. */
export function sessionEnd({ code, reason, clientCode }: Ending): SessionEnd {
  return { reason: endReason(reason, clientCode), closeCode: clientCode ?? code };
}

function endReason(reason: Ending['reason'], clientCode: number | undefined): EndReason {
  if (clientCode !== undefined) return clientCode === 1006 ? 'connection_lost' : 'client_closed';
  if (reason === 'internal_error') return 'service_error';
  return Object.hasOwn(END_REASONS, reason) ? (reason as EndReason) : 'client_error';
}
