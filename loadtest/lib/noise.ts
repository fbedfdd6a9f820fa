/** Limits of the noisy tenant. They are the defaults of a Tenant resource. */
export const NOISY_LIMITS = { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 600 } as const;

/**
 * Kinds of noise, with their rates at factor 1. The rate of handshakes equals the rate of new sessions. The service
 * limits wrong API keys by address and not by tenant, to 100 per second. At factor 100, the intended rate of wrong keys
 * is 150 per second. The service delays its answers, so the actual rate is lower.
 */
export const NOISE_PER_MINUTE = {
  request: NOISY_LIMITS.requestsPerMinute,
  handshake: NOISY_LIMITS.sessionsPerMinute,
  key: 90,
} as const;

export type NoiseKind = keyof typeof NOISE_PER_MINUTE;
export const NOISE_KINDS = Object.keys(NOISE_PER_MINUTE) as NoiseKind[];

/**
 * How an answer to noise is counted. A request is accepted if the limit of the request rate allowed it, even if the
 * service then refused it for another reason. A handshake is accepted if it opened a stream. A wrong key is always
 * refused. A request is delayed if its client could not send it, because the client waited for the answer to an earlier
 * request.
 */
export const NOISE_ANSWERS = ['accepted', 'refused', 'delayed'] as const;
export type NoiseAnswer = (typeof NOISE_ANSWERS)[number];

/**
 * Minimum share of the intended noise that was refused or delayed. If the share is smaller, the noise did not exceed
 * the limits enough, and the run is no valid test.
 */
export const MIN_REFUSED_SHARE = 0.9;
