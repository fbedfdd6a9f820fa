/** What a person has to do before the command can go on. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
}
