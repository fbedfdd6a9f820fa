/** Thrown if audio cannot be used as it is. The message names the cause, and a remedy if there is one. */
export class AudioFormatError extends Error {
  override readonly name = 'AudioFormatError';
}
