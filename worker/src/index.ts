/** The recognition engine: loads a model folder and turns streams of audio into transcripts. */
export type { Word } from './decode/pieces.ts';
export { Engine, type EngineEvents, type OpenOptions } from './engine/engine.ts';
export { EngineError, type EngineErrorCode } from './engine/error.ts';
export type { ContextInfo, Delta, Final, ModelInfo } from './engine/protocol.ts';
export type { EngineStats } from './engine/shared.ts';
export { startEngine, type EngineOptions } from './engine/start.ts';
export { EngineStream, type StreamEvents } from './engine/stream.ts';
export { ModelError, type ModelErrorCode } from './model/error.ts';
export type { Context } from './model/manifest.ts';
export { WORKER_SETTINGS, type WorkerSettings } from './settings.ts';
