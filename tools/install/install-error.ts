/** Thrown when the user has to install something. The message says what to do. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
}
