/** What one client knows about its session. Times are milliseconds since the start of the run. */
export interface SessionRecord {
  readonly id: string;
  readonly tenant: string;
  readonly reservedMs: number;
  readonly createdAtMs: number;
  /** Gateway that has the stream. Undefined if no handshake was answered with 101. */
  gateway: number | undefined;
  openedAtMs: number | undefined;
  endedAtMs: number | undefined;
  /** Samples that the client passed to its connection. */
  sentSamples: number;
  /** End of the audio of the last answer. The service has certainly accepted audio up to here. */
  answeredMs: number;
  /**
   * How the session of the client ended. `closed`: the client got all finals and closed the stream. `limit`: the
   * reservation was used up. `left`: the client disconnected on purpose in the middle of a recording. `lost`: the
   * service ended the stream or did not answer. `unopened`: there was no stream.
   */
  ending: 'closed' | 'limit' | 'left' | 'lost' | 'unopened' | undefined;
  closeCode: number | undefined;
  /** Times of each utterance. The last one has no end while it runs. */
  readonly utterances: { readonly fromMs: number; toMs: number | undefined }[];
  /** Time of the last message of the server, or of the start of the utterance if that was later. */
  answeredAtMs: number;
  /** Periods of more than 2 s without an answer during an utterance. */
  readonly stalls: Stall[];
}

/** A period without an answer. */
export interface Stall {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns a record of a session that was created. */
export function newRecord(id: string, tenant: string, reservedMs: number, nowMs: number): SessionRecord {
  return {
    id,
    tenant,
    reservedMs,
    createdAtMs: nowMs,
    gateway: undefined,
    openedAtMs: undefined,
    endedAtMs: undefined,
    sentSamples: 0,
    answeredMs: 0,
    ending: undefined,
    closeCode: undefined,
    utterances: [],
    answeredAtMs: nowMs,
    stalls: [],
  };
}

/** Returns the duration of the longest stall of some sessions in a period. */
export function longestStallMs(records: readonly SessionRecord[], { fromMs, toMs }: Stall): number {
  const stalls = records
    .flatMap(({ stalls: own }) => own)
    .filter((stall) => stall.fromMs <= toMs && stall.toMs >= fromMs);
  return Math.max(0, ...stalls.map((stall) => stall.toMs - stall.fromMs));
}

/** Returns whether the client waits for answers now. */
export function isSpeaking({ utterances, ending }: SessionRecord): boolean {
  const last = utterances.at(-1);
  return ending === undefined && last !== undefined && last.toMs === undefined;
}
