/** What clients need of the stream at run time: constants and arithmetic. No schemas, so that no browser loads their library. */
export * from '../audio.ts';
export * from './close.ts';
export * from './limits.ts';
