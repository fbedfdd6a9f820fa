/** Thrown if an artifact cannot be fetched. */
export class ArtifactError extends Error {
  override readonly name = 'ArtifactError';
  /** True if a retry may succeed. */
  readonly isRetryable: boolean;
  /** True if the caller must discard the part of the artifact that is already on disk. */
  readonly discardsPart: boolean;
  /** Delay that the server requests before a retry. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: { isRetryable?: boolean; discardsPart?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.isRetryable = options.isRetryable ?? false;
    this.discardsPart = options.discardsPart ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
