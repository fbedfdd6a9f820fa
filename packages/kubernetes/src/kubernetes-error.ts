/** A problem with one field of an object, as the API server reports it. */
export interface Cause {
  /** Empty if the problem concerns the whole object. */
  field: string;
  message: string;
}

/** An error of a request to the API server, or a request that got no response (status 0). */
export class KubernetesError extends Error {
  override name = 'KubernetesError';
  /** HTTP status, or 0 without a response. */
  readonly status: number;
  /** Machine-readable reason of the Status object: `Conflict`, `Expired`, `NotFound`, …. */
  readonly reason: string;
  /** Message of the server, without the name of the request. */
  readonly serverMessage: string;
  /** Problems of a refused object, by field. */
  readonly causes: readonly Cause[];
  /** Time that the server asks to wait before a retry. */
  readonly retryAfterMs: number | undefined;
  /**
   * Number of the attempt that ended with this error. If it is above 1, an earlier attempt may have succeeded although
   * its response was lost.
   */
  attempts = 1;

  constructor(
    status: number,
    reason: string,
    message: string,
    options: { serverMessage?: string; causes?: readonly Cause[]; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.reason = reason;
    this.serverMessage = options.serverMessage ?? message;
    this.causes = options.causes ?? [];
    this.retryAfterMs = options.retryAfterMs;
  }
}
