/**
 * How gateway and worker continue a connection on a new socket after the old socket was lost. Both sides count the
 * bytes of frames that they have received, and acknowledge them with `ack` frames. Each side keeps the bytes that the
 * other has not acknowledged. To resume, the gateway connects again with the token of the connection. Both sides then
 * exchange their counts. Each side sends the bytes that the other side has not received. The streams of the connection
 * are not interrupted.
 */

/** Headers of the upgrade request and of its 101 response. A side that does not support resuming ignores them. */
export const RESUME_HEADERS = {
  /** In a request, the value 1 means that the gateway can resume this connection. */
  offer: 'svc-asr-resume',
  /** In a response: token of the new connection. In a request: token of the connection that the gateway resumes. */
  token: 'svc-asr-resume-token',
  /** In a response: time in milliseconds for which the worker keeps a connection whose socket was lost. */
  withinMs: 'svc-asr-resume-within-ms',
  /** In the request and response of a resume: number of bytes that the sender of the header has received. */
  received: 'svc-asr-resume-received',
} as const;

/** HTTP status of the response if the worker cannot resume the connection. */
export const RESUME_REFUSED_STATUS = 410;

export const RESUME_LIMITS = {
  /** Number of received bytes after which a side sends an `ack`. */
  ackBytes: 262_144,
  /**
   * Maximum number of bytes that a side keeps. Beyond it, the oldest bytes are dropped. A resume that needs dropped
   * bytes is refused.
   */
  keptBytes: 8_388_608,
} as const;

/**
 * Parses the number in a header. Returns undefined if the header is missing or is not a whole number of at most 15
 * digits.
 */
export function parseResumeNumber(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** Buffers that were written together. */
interface Batch {
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  /** Position after the last byte of the batch, counted from the start of the connection. */
  readonly end: number;
}

/**
 * The last bytes that one side of a connection has sent. Holds references to the written buffers and copies nothing.
 */
export class ResendBuffer {
  readonly #maxBytes: number;
  #batches: Batch[] = [];
  /** Position of the first byte that can be sent again. */
  #start = 0;
  #end = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds written buffers. Their content must not change until they are acknowledged. */
  add(pieces: readonly Uint8Array[], bytes: number): void {
    this.#end += bytes;
    this.#batches.push({ pieces, bytes, end: this.#end });
    // Keeps only half of the limit, so that drops are rare. A drop takes long, because it moves all remaining batches.
    if (this.#end - this.#start > this.#maxBytes) this.#drop(this.#end - Math.floor(this.#maxBytes / 2));
  }

  /**
   * Drops the bytes before an acknowledged position, of which only the lower 32 bits are given. Returns false if the
   * position is after the last byte sent. A position before the first kept byte changes nothing. Such a position occurs
   * if a resume or the size limit has dropped more bytes than an older `ack` confirms.
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

  /**
   * Returns the bytes after the first `received` ones, and drops the bytes before them. Call it only if `has` returns
   * true.
   */
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
