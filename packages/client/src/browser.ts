/** The part of the client that browsers need: streams of sessions that a server created. */
export { openLongStream } from './long/long-stream.ts';
export type { LongStreamOptions, SessionSource } from './long/long-stream.ts';
export { openStream } from './stream/stream.ts';
export type { AsrStream } from './stream/stream.ts';
export type { StreamConfig, StreamOptions } from './stream/options.ts';
export type { ReconnectAdvice, StreamEnd } from './stream/advice.ts';
export type { StreamEvent } from './stream/event.ts';
export { SvcAsrStreamEnded, SvcAsrStreamError } from './stream/failure.ts';
export { SvcAsrError, SvcAsrUnreachable } from './error.ts';
