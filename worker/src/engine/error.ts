/** Reason for which the engine refused a call or ended a stream. Codes are stable. */
export type EngineErrorCode =
  /** Streams hold all slots. */
  | 'no_slot'
  /** The model does not support the requested context. */
  | 'context_unsupported'
  /** The caller wrote more audio than back-pressure allows. */
  | 'buffer_overrun'
  /** The graph failed on a batch that contained this stream, or returned NaN as a score for this stream. */
  | 'inference_failed'
  /** The inference thread or another thread that serves streams has failed. */
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
