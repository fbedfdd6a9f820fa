/** Thrown if audio cannot be used as it is. The message names the cause, and a remedy if there is one. */
export class AudioFormatError extends Error {
  override readonly name = 'AudioFormatError';
}

/** Thrown if the format of a file is not supported. For damaged files, an AudioFormatError not of this class is thrown. */
export class UnsupportedAudioError extends AudioFormatError {}
