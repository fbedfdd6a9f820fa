import type { AsrSession } from '@svc-asr/core';
import { SvcAsrError } from '../error.ts';
import { pause } from '../retry.ts';
import type { StreamEnd } from '../stream/advice.ts';

/** Close codes after which a new session can continue: shutdown, broken connection, failure, no capacity. */
const RECONNECT_CODES: readonly number[] = [1001, 1006, 1011, 4503];
/**
 * Close reasons with code 1000 after which more audio needs a new session. The reason is empty if the client closed the
 * stream.
 */
const CONTINUE_REASONS: readonly string[] = ['', 'audio_limit_reached', 'session_time_limit'];
const LONGEST_WAIT_MS = 8000;
/**
 * Time for which the client retries a refused request for a session. The service settles the previous session only
 * after its stream was closed. Until then, the previous session counts against the concurrency limit.
 */
const PLACE_WAIT_MS = 5000;
const PLACE_RETRY_MS = 200;

/**
 * Returns the time to wait before the next session. Undefined if no session should follow. `failures` is the number of
 * sessions in a row that ended without a new `final`, and `random` is in [0, 1).
 */
export function reconnectWaitMs(end: StreamEnd, failures: number, random: number): number | undefined {
  const { code, reason, advice, error } = end;
  if (error !== undefined && advice.retry === 'never') return undefined;
  if (code === 1000) return CONTINUE_REASONS.includes(reason) ? 0 : undefined;
  if (!RECONNECT_CODES.includes(code)) return undefined;
  const isAtOnce = failures <= 1 && advice.retry === 'new-session';
  const backoffMs = isAtOnce ? 0 : Math.min(LONGEST_WAIT_MS, 500 * 2 ** failures);
  const askedMs = error instanceof SvcAsrError ? (error.retryAfterS ?? 0) * 1000 : 0;
  return Math.round(Math.max(askedMs, backoffMs / 2) + (backoffMs / 2) * random);
}

/** Creates a session. Retries for 5 s while the last session still counts against the concurrency limit (429). */
export async function waitForPlace(
  createSession: () => Promise<AsrSession>,
  signal: AbortSignal | undefined,
): Promise<AsrSession> {
  const deadlineMs = performance.now() + PLACE_WAIT_MS;
  for (let waitMs = PLACE_RETRY_MS; ; waitMs *= 2) {
    try {
      return await createSession();
    } catch (error) {
      const { code } = error as { code?: unknown };
      const leftMs = deadlineMs - performance.now();
      if (code !== 'concurrency_limit_exceeded' || leftMs <= 0) throw error;
      await pause(Math.min(waitMs, leftMs), signal);
    }
  }
}
