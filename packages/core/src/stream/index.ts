/** Constants and arithmetic of the stream, for clients. Contains no schemas, so that browsers need not load typebox. */
export * from '../audio.ts';
export * from './close.ts';
export * from './limits.ts';
export * from './message-rate.ts';
