import { AudioFormatError } from '@svc-asr/client';

/**
 * Thrown if the format of a file is not supported, or if its WAV header cannot be read. For other damaged files, an
 * AudioFormatError that is not of this class is thrown.
 */
export class UnsupportedAudioError extends AudioFormatError {}
