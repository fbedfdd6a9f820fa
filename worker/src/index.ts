/** The recognition engine. It loads a model folder and transcribes streams of audio. */
export type { Word } from './decode/pieces.ts';
export { Engine } from './engine/engine.ts';
export { EngineClient } from './engine/client.ts';
export type { OpenOptions, RemoteAccess } from './engine/client.ts';
export type { EngineEvents } from './engine/engine.ts';
export { EngineError } from './engine/error.ts';
export type { EngineErrorCode } from './engine/error.ts';
export type { ContextInfo, Delta, Final, ModelInfo } from './engine/protocol.ts';
export type { EngineStats } from './engine/shared.ts';
export { startEngine } from './engine/start.ts';
export type { EngineOptions } from './engine/start.ts';
export { EngineStream } from './engine/stream.ts';
export type { StreamEvents } from './engine/stream.ts';
export { ModelError } from './model/error.ts';
export type { ModelErrorCode } from './model/error.ts';
export type { Context } from './model/manifest.ts';
export { WORKER_SETTINGS } from './settings.ts';
export type { WorkerSettings } from './settings.ts';
