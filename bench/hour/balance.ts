/** A session as `GET /v1/usage` lists it. */
export interface ChargedSession {
  readonly status: string;
  readonly audio_ms: number;
  readonly billable_ms: number;
}

export interface Credits {
  readonly granted_ms: number;
  readonly available_ms: number;
  readonly reserved_ms: number;
  readonly consumed_ms: number;
}

/** Part of a transcript. Times count from the start of the audio. */
export interface Segment {
  readonly start_ms: number;
  readonly end_ms: number;
  readonly text: string;
}

export interface Charge {
  readonly sessions: number;
  readonly chargedSeconds: number;
  /** Amount of audio that the client sent twice, in one session and again in the next. */
  readonly repeatedMs: number;
}

/** Maximum amount of audio that may be charged twice at a seam between two sessions. */
const MAX_REPEATED_MS = 2000;

/**
 * Adds up the charges for audio of this length, and throws if a charge or the balance is wrong. The account must not
 * have been used for other audio.
 */
export function checkCharge(sessions: readonly ChargedSession[], credits: Credits, durationMs: number): Charge {
  for (const { status, audio_ms: audioMs, billable_ms: billableMs } of sessions) {
    if (status !== 'completed') throw new Error(`a session is ${status} instead of completed`);
    if (billableMs !== Math.ceil(audioMs / 1000) * 1000)
      throw new Error(`${audioMs} ms were charged as ${billableMs} ms`);
  }
  const sum = (pick: (session: ChargedSession) => number) => sessions.reduce((total, each) => total + pick(each), 0);
  const chargedMs = sum(({ billable_ms: ms }) => ms);
  const { granted_ms: granted, available_ms: available, reserved_ms: reserved, consumed_ms: consumed } = credits;
  if (consumed !== chargedMs) throw new Error(`the account consumed ${consumed} ms, and its sessions ${chargedMs} ms`);
  if (reserved !== 0 || available + consumed !== granted) {
    throw new Error(`the account does not balance: ${JSON.stringify(credits)}`);
  }
  const repeatedMs = sum(({ audio_ms: ms }) => ms) - durationMs;
  if (repeatedMs < 0) throw new Error(`${-repeatedMs} ms of the audio reached no session`);
  const allowedMs = MAX_REPEATED_MS * (sessions.length - 1);
  if (repeatedMs > allowedMs) throw new Error(`${repeatedMs} ms were sent twice, and ${allowedMs} ms are allowed`);
  return { sessions: sessions.length, chargedSeconds: chargedMs / 1000, repeatedMs };
}

/** Throws unless the segments cover the audio without a gap or an overlap. */
export function checkCoverage(segments: readonly Segment[], durationMs: number): void {
  let at = 0;
  for (const { start_ms: startMs, end_ms: endMs } of segments) {
    if (startMs !== at) throw new Error(`a segment starts at ${startMs} ms, and the one before ends at ${at} ms`);
    at = endMs;
  }
  if (at !== durationMs) throw new Error(`the segments end at ${at} ms, and the audio at ${durationMs} ms`);
}
