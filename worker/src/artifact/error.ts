/** Why an artifact cannot be had. */
export class ArtifactError extends Error {
  override readonly name = 'ArtifactError';
  /** Another try may go well. */
  readonly mayPass: boolean;
  /** What was downloaded before is of no use. */
  readonly beginsAnew: boolean;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: { mayPass?: boolean; beginsAnew?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.mayPass = options.mayPass ?? false;
    this.beginsAnew = options.beginsAnew ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
