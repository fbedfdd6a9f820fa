/**
 * Continuation of a connection between gateway and worker on another socket, after its socket was lost. Both sides
 * count the bytes of frames that they have received, and acknowledge them with `ack` frames. They keep the bytes that
 * the other side has not acknowledged. The gateway connects again with the token of the connection. Both sides exchange
 * their counts, and each one sends the bytes that the other is missing. Streams do not notice it.
 */

/** Headers of the upgrade request and of its 101 response. A side that does not know them ignores them. */
export const RESUME_HEADERS = {
  /** Request: the gateway can resume this connection. The value is 1. */
  offer: 'svc-asr-resume',
  /** Response: token of the new connection. Request: the gateway resumes the connection with this token. */
  token: 'svc-asr-resume-token',
  /** Response: time in milliseconds for which the worker keeps a lost connection. */
  withinMs: 'svc-asr-resume-within-ms',
  /** Request and response of a resume: number of bytes that the sender of the header has received. */
  received: 'svc-asr-resume-received',
} as const;

/** HTTP status of a resume that is not possible. */
export const RESUME_REFUSED_STATUS = 410;

export const RESUME_LIMITS = {
  /** Received bytes after which a side sends an `ack`. */
  ackBytes: 262_144,
  /** Maximum bytes that a side keeps. Older ones are dropped, and a resume from before them is refused. */
  keptBytes: 8_388_608,
} as const;

/** Parses the number in a header. Undefined if the header is missing or not a whole number. */
export function parseResumeNumber(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** Buffers that were written together. */
interface Batch {
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  /** Position after its last byte, counted from the start of the connection. */
  readonly end: number;
}

/** The last bytes that one side of a connection has sent. It holds references and copies nothing. */
export class ResendBuffer {
  readonly #maxBytes: number;
  #batches: Batch[] = [];
  /** Position of the first byte that can be sent again. */
  #start = 0;
  #end = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds buffers, which must not change until they are acknowledged. */
  add(pieces: readonly Uint8Array[], bytes: number): void {
    this.#end += bytes;
    this.#batches.push({ pieces, bytes, end: this.#end });
    // Drops down to half of the limit, because each removal moves all batches that remain.
    if (this.#end - this.#start > this.#maxBytes) this.#drop(this.#end - Math.floor(this.#maxBytes / 2));
  }

  /**
   * Drops the bytes before a position. Only the lower 32 bits of the position are given. Returns false if the bytes were
   * never sent. A position before the first kept byte changes nothing, because a resume may have dropped more than an
   * `ack` confirms.
   */
  acknowledge(position: number): boolean {
    const acknowledged = this.#start + ((position - this.#start) | 0);
    if (acknowledged > this.#end) return false;
    if (acknowledged > this.#start) this.#drop(acknowledged);
    return true;
  }

  /** Returns whether all bytes after the first `received` ones can be sent again. */
  has(received: number): boolean {
    return received >= this.#start && received <= this.#end;
  }

  /** Returns the bytes after the first `received` ones, and drops the ones before. Call only if `has` returns true. */
  after(received: number): Uint8Array[] {
    this.#drop(received);
    const pieces = this.#batches.flatMap((batch) => batch.pieces);
    const [first] = this.#batches;
    let skipped = first === undefined ? 0 : received - (first.end - first.bytes);
    while (pieces[0] !== undefined && skipped >= pieces[0].length) skipped -= pieces.shift()?.length ?? 0;
    if (pieces[0] !== undefined && skipped > 0) pieces[0] = pieces[0].subarray(skipped);
    return pieces;
  }

  #drop(position: number): void {
    this.#start = position;
    const first = this.#batches.findIndex(({ end }) => end > position);
    this.#batches.splice(0, first === -1 ? this.#batches.length : first);
  }
}
