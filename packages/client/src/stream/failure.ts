import type { ErrorMessage } from '@svc-asr/core';
import type { ReconnectAdvice, StreamEnd } from './advice.ts';

/**
 * Thrown if the service refused a message and replied with an `error` event. The stream continues. `code` is stable and
 * identifies the cause.
 */
export class SvcAsrStreamError extends Error {
  override readonly name = 'SvcAsrStreamError';
  readonly code: string;

  constructor({ code, message }: ErrorMessage) {
    super(message);
    this.code = code;
  }
}

/** Thrown if the stream ended before a call was completed. */
export class SvcAsrStreamEnded extends Error {
  override readonly name = 'SvcAsrStreamEnded';
  readonly code: number;
  readonly reason: string;
  readonly advice: ReconnectAdvice;

  constructor({ code, reason, advice }: StreamEnd, lastError?: ErrorMessage) {
    super(`the stream ended with ${code}: ${lastError?.message ?? advice.meaning}`);
    this.code = code;
    this.reason = reason;
    this.advice = advice;
  }
}
