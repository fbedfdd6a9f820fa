/** Subtitles, and the wrapping of text that they need. Contains no schemas, so that the svc-asr command starts fast. */
export * from './subtitles.ts';
export * from './wrap.ts';
