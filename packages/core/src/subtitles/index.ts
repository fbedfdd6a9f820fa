/** Subtitles, and the wrapping of text that they need. Contains no schemas, so that commands start fast. */
export * from './subtitles.ts';
export * from './wrap.ts';
