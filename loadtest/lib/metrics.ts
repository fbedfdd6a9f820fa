import { Counter, Trend } from 'k6/metrics';

const IS_TIME = true;

/** Time from sending the sample at `audio_end_ms` of a delta to the arrival of the delta. */
export const deltaLatency = new Trend('delta_latency', IS_TIME);
/** Like `deltaLatency`, but only for the first delta of each utterance. */
export const firstDeltaLatency = new Trend('first_delta_latency', IS_TIME);
/** Time from `flush` to `final`. */
export const finalLatency = new Trend('final_latency', IS_TIME);
/** Time from the start of the handshake to `ready`. */
export const readyLatency = new Trend('ready_latency', IS_TIME);
/**
 * Delay with which a frame was sent. If the delay is large, the other metrics measure the load generator and not the
 * service.
 */
export const lag = new Trend('lag', IS_TIME);
/** Word error rate of an utterance in percent. */
export const wordErrorRate = new Trend('wer');
export const sessions = new Counter('sessions');
export const refusals = new Counter('session_refusals');
/** Billable audio of sessions that ended normally. The service must charge exactly this amount. */
export const chargedMs = new Counter('charged_ms');
/** Billable audio of all sessions that are not in `chargedMs`. The client cannot know whether it is charged. */
export const unclearMs = new Counter('unclear_ms');
/** Requests of a noisy tenant, by kind and answer. */
export const noiseAnswers = new Counter('noise_answers');
