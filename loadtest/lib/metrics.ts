import { Counter, Trend } from 'k6/metrics';

const IS_TIME = true;

/** Time from sending the sample that `audio_end_ms` names to the delta. */
export const deltaLatency = new Trend('delta_latency', IS_TIME);
/** Time from `flush` to `final`. */
export const finalLatency = new Trend('final_latency', IS_TIME);
/** Time from the start of the handshake to `ready`. */
export const readyLatency = new Trend('ready_latency', IS_TIME);
/** Time from the moment a frame is due to its sending. If it is large, the other metrics measure the generator. */
export const lag = new Trend('lag', IS_TIME);
/** Word error rate of an utterance in percent. */
export const wordErrorRate = new Trend('wer');
export const sessions = new Counter('sessions');
export const refusals = new Counter('session_refusals');
/** Billable audio of sessions that ended normally, which the service must charge. */
export const chargedMs = new Counter('charged_ms');
/** Billable audio of all other sessions. The client cannot know whether the service charges them. */
export const unclearMs = new Counter('unclear_ms');
