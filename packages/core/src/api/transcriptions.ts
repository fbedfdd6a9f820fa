/**
 * Path of the transcription of a file, below the public address. Request and response have the format of OpenAI's API.
 */
export const TRANSCRIPTIONS_PATH = '/v1/audio/transcriptions';

/** Limits of the transcription of a file. */
export const FILE_LIMITS = {
  /** Largest size of an uploaded file. */
  maxBytes: 25 * 1_048_576,
  /**
   * Longest audio of a file. A file that is longer than the longest session is divided between several sessions (ADR
   * 45).
   */
  maxSeconds: 7200,
} as const;

/** Formats of the response, with the names that OpenAI uses. */
export const RESPONSE_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const;
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];
