/** What is wrong with one field of an object, in the words of the API server. */
export interface Cause {
  /** Empty where it is about the whole. */
  field: string;
  message: string;
}

/** A request that the API server refused, or that did not reach it (status 0). */
export class KubernetesError extends Error {
  override name = 'KubernetesError';
  /** The HTTP status; 0: no answer came. */
  readonly status: number;
  /** The machine-readable reason of the answer's Status object: `Conflict`, `Expired`, `NotFound`, …. */
  readonly reason: string;
  /** What the server says, without the name of the request. */
  readonly serverMessage: string;
  /** What is wrong with an object that was refused, field by field. */
  readonly causes: readonly Cause[];
  /** How long the server asks to wait before the next try. */
  readonly retryAfterMs: number | undefined;
  /** Which try of its request this ended: one before it may have been heard although its answer was lost. */
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
