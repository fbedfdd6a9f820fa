export { createClient } from './client.ts';
export type { CallOptions, Client, ClientOptions, CreateSessionOptions } from './client.ts';
export { SvcAsrError, SvcAsrUnreachable } from './error.ts';
export type { Fetch, FetchInit, FetchResponse } from './exchange.ts';
export type { AsrSession, CreditBalance, Model, UsageSession } from '@svc-asr/core';
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
  ErrorMessage,
  FinalMessage,
  ReadyMessage,
  ResetAckMessage,
  RetryAdvice,
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
