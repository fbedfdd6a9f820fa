/**
 * Functions that create subtitles and wrap their text. Contains no schemas, so that the svc-asr command starts fast.
 */
export * from './subtitles.ts';
export * from './wrap.ts';
