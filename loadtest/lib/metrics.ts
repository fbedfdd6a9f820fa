import { Counter, Trend } from 'k6/metrics';

const IS_TIME = true;

/** From the sending of the sample that `audio_end_ms` names to the delta. */
export const deltaLatency = new Trend('delta_latency', IS_TIME);
/** From `flush` to `final`. */
export const finalLatency = new Trend('final_latency', IS_TIME);
/** From the beginning of the handshake to `ready`. */
export const readyLatency = new Trend('ready_latency', IS_TIME);
/** How late the generator sent a frame: with large values the other figures are about the generator. */
export const lag = new Trend('lag', IS_TIME);
/** Word error rate of an utterance in percent. */
export const wordErrorRate = new Trend('wer');
export const sessions = new Counter('sessions');
export const refusals = new Counter('session_refusals');
export const faults = new Counter('stream_faults');
