export { createClient } from './client.ts';
export type { CallOptions, Client, ClientOptions, CreateSessionOptions, LongStreamTarget } from './client.ts';
export { SvcAsrError, SvcAsrUnreachable } from './error.ts';
export type { Fetch, FetchInit, FetchResponse } from './exchange.ts';
export type { AsrSession, CreditBalance, Model, ModelContext, UsageSession } from '@svc-asr/core';
export { openLongStream } from './long/long-stream.ts';
export type { LongStreamOptions, SessionSource } from './long/long-stream.ts';
export { openStream } from './stream/stream.ts';
export type { AsrStream } from './stream/stream.ts';
export type { StreamConfig, StreamOptions } from './stream/options.ts';
export type { ReconnectAdvice, StreamEnd } from './stream/advice.ts';
export type { StreamEvent } from './stream/event.ts';
export type { PcmAudio } from './stream/frames.ts';
export { SvcAsrStreamEnded, SvcAsrStreamError } from './stream/failure.ts';
export type { SocketEvent, StreamSocket, WebSocketConstructor } from './stream/socket.ts';
export type {
  ConfigAckMessage,
  DeltaMessage,
  Endpointing,
  ErrorMessage,
  FinalMessage,
  ReadyMessage,
  ResetAckMessage,
  RetryAdvice,
  SpeechEndedMessage,
  SpeechStartedMessage,
  StatusMessage,
  Word,
} from '@svc-asr/core';
export { createWavConverter } from './audio/converter.ts';
export type { WavConverter } from './audio/converter.ts';
export type { WavLayout } from './audio/wav-reader.ts';
export type { SampleEncoding, WavFormat } from './audio/wav-format.ts';
export { AudioFormatError } from './audio/error.ts';
export { createResampler, resampledLength } from './audio/resampler.ts';
export type { Resampler } from './audio/resampler.ts';
export { toPcm16 } from './audio/pcm16.ts';
