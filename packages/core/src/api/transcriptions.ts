/** Path of the transcription of a file, below the public address. It has the shapes of OpenAI's API. */
export const TRANSCRIPTIONS_PATH = '/v1/audio/transcriptions';

/** Limits of the transcription of a file. */
export const FILE_LIMITS = {
  /** Largest size of a file. */
  maxBytes: 25 * 1_048_576,
  /** Most audio of a file. Files of more than one session are divided into several (ADR 45). */
  maxSeconds: 7200,
} as const;

/** Formats of the answer, as OpenAI names them. */
export const RESPONSE_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const;
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];
