import { AudioFormatError } from '@svc-asr/client';

/** Thrown if the format of a file is not supported. Damaged files throw an AudioFormatError. */
export class UnsupportedAudioError extends AudioFormatError {}
