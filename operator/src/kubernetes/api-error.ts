/** A request that the API server refused, or that did not reach it (status 0). */
export class ApiError extends Error {
  override name = 'ApiError';
  /** The HTTP status; 0: no answer came. */
  readonly status: number;
  /** The machine-readable reason of the answer's Status object: `Conflict`, `Expired`, `NotFound`, …. */
  readonly reason: string;
  /** How long the server asks to wait before the next try. */
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    reason: string,
    message: string,
    options: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}
