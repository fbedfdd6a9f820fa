/** Why the engine refused or stopped something. Codes are stable. */
export type EngineErrorCode =
  /** All slots are taken. */
  | 'no_slot'
  /** The model has no such context. */
  | 'context_unsupported'
  /** More was written than back-pressure allows. */
  | 'buffer_overrun'
  /** The graph failed on a batch that this stream was part of. */
  | 'inference_failed'
  /** The inference thread is gone. */
  | 'engine_failed'
  /** The engine or the stream has been closed. */
  | 'closed';

/** An error of the engine or of one of its streams. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
