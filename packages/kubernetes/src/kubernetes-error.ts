/** A problem that the API server reported for an object, or for one of its fields. */
export interface Cause {
  /** Path of the field. Empty if the problem concerns the whole object. */
  field: string;
  message: string;
}

/** Error response of the API server, or failure to get a response (status 0). */
export class KubernetesError extends Error {
  override name = 'KubernetesError';
  /** HTTP status, or 0 if there was no response. */
  readonly status: number;
  /**
   * Machine-readable reason in the Status object, for example `Conflict`, `Expired` or `NotFound`. Without such an
   * object, it is `UnknownType`, `Http` with the status, the code of a network error, or `Unreachable`.
   */
  readonly reason: string;
  /**
   * Message of the server, or the start of a response without a message. Unlike `message`, it does not describe the
   * request. For errors of watches, of unknown types and of the network, it equals `message`.
   */
  readonly serverMessage: string;
  /** Problems of a refused object, by field. */
  readonly causes: readonly Cause[];
  /** Time that the server asks the client to wait before a retry. */
  readonly retryAfterMs: number | undefined;
  /**
   * Number of attempts, including the one that ended with this error. If it is above 1, an earlier attempt may have
   * succeeded although its response was lost.
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
