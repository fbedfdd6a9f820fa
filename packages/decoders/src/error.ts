import { AudioFormatError } from '@svc-asr/client';

/**
 * Thrown if the format of a file is not supported, or if its WAV header cannot be read. Other damaged files throw an
 * AudioFormatError.
 */
export class UnsupportedAudioError extends AudioFormatError {}
