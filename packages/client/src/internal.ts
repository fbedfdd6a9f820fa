/**
 * Parts of the client for the svc-asr command, the gateway and the decoders. They are no part of the public API and may
 * change in any release.
 */
export { UnsupportedAudioError } from './audio/error.ts';
export { decodeMono } from './audio/decode.ts';
export { checkAddress } from './address.ts';
export { parseAnswer } from './client.ts';
export { refusalOf } from './error.ts';
export { bounded, exchange, initOf } from './exchange.ts';
export type { ExchangeRequest } from './exchange.ts';
