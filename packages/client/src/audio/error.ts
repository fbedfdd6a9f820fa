/** The audio cannot be used as it is; the message says why and what to do. */
export class AudioFormatError extends Error {
  override readonly name = 'AudioFormatError';
}
