import type { ErrorMessage } from '@svc-asr/core';
import type { ReconnectAdvice, StreamEnd } from './advice.ts';

/** The service answered a message with an `error` event; the stream goes on. `code` is stable and says why. */
export class SvcAsrStreamError extends Error {
  override readonly name = 'SvcAsrStreamError';
  readonly code: string;

  constructor({ code, message }: ErrorMessage) {
    super(message);
    this.code = code;
  }
}

/** The stream ended before what was asked of it was done. */
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
