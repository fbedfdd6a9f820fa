import type { GatewaySettings } from '../settings.ts';
import type { StreamTimes } from './session.ts';

/** Returns the time limits of streams. */
export function streamTimes(settings: GatewaySettings): StreamTimes {
  return {
    statusMs: settings.STREAM_STATUS_INTERVAL_MS,
    workerOpenMs: settings.WORKER_OPEN_TIMEOUT_MS,
    workerSilenceMs: settings.WORKER_SILENCE_TIMEOUT_MS,
    workerAnswerMs: settings.WORKER_ANSWER_TIMEOUT_MS,
    workerAvoidMs: settings.WORKER_AVOID_MS,
    idleMs: settings.STREAM_IDLE_MS,
    pingMs: settings.STREAM_PING_MS,
    extraMs: settings.STREAM_LIFETIME_EXTRA_MS,
    finalMs: settings.STREAM_FINAL_TIMEOUT_MS,
    ticketMs: settings.WORKER_TICKET_TTL_MS,
  };
}
