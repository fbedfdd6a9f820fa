import { streamError } from '@svc-asr/core';
import type { StreamErrorCode } from '@svc-asr/core';

/** Counts the errors of a client by code. Some errors end the stream only after several occurrences. */
export class ErrorCounts {
  readonly #counts = new Map<StreamErrorCode, number>();

  /** Counts an error and returns its effect on the stream. */
  add(code: StreamErrorCode, message?: string): ReturnType<typeof streamError> {
    const earlier = this.#counts.get(code) ?? 0;
    this.#counts.set(code, earlier + 1);
    return streamError(code, earlier, message);
  }
}
