import { createHash } from 'node:crypto';

/** Memory of used tickets. All I/O threads of a worker share it. */
export interface UsedTicketsMemory {
  readonly locks: SharedArrayBuffer;
  readonly keys: SharedArrayBuffer;
  readonly expiries: SharedArrayBuffer;
}

/**
 * Number of groups of tickets. A group has room for PLACES tickets. If tickets are valid for 10 seconds, a group
 * becomes full only if the worker opens more than about 15,000 streams per second.
 */
const GROUPS = 4096;
const PLACES = 64;
/** Longest time in milliseconds that a thread sleeps before it tries to lock a group again. */
const LOCK_WAIT_MS = 1;

/** Allocates the memory of used tickets. The kernel provides a page of this memory only when the page is used. */
export function createUsedTickets(): UsedTicketsMemory {
  const places = GROUPS * PLACES;
  return {
    locks: new SharedArrayBuffer(GROUPS * Int32Array.BYTES_PER_ELEMENT),
    keys: new SharedArrayBuffer(places * 2 * BigUint64Array.BYTES_PER_ELEMENT),
    expiries: new SharedArrayBuffer(places * Float64Array.BYTES_PER_ELEMENT),
  };
}

/**
 * Tickets that were used and have not expired. The hash of a ticket determines its group. Only one thread at a time
 * reads and changes a group. The work for a ticket does not depend on the number of tickets.
 */
export class UsedTickets {
  readonly #locks: Int32Array;
  /** The hash of each ticket, in two halves. */
  readonly #keys: BigUint64Array;
  readonly #expiries: Float64Array;

  constructor({ locks, keys, expiries }: UsedTicketsMemory) {
    this.#locks = new Int32Array(locks);
    this.#keys = new BigUint64Array(keys);
    this.#expiries = new Float64Array(expiries);
  }

  /** Records the use of a ticket. Returns false if the ticket was used before, or if its group is full. */
  add(key: string, expMs: number, nowMs: number): boolean {
    const hash = createHash('sha256').update(key).digest();
    const group = hash.readUInt32LE(16) % GROUPS;
    this.#lock(group);
    try {
      return this.#addTo(group, [hash.readBigUInt64LE(0), hash.readBigUInt64LE(8)], expMs, nowMs);
    } finally {
      Atomics.store(this.#locks, group, 0);
      Atomics.notify(this.#locks, group, 1);
    }
  }

  #addTo(group: number, [low, high]: [bigint, bigint], expMs: number, nowMs: number): boolean {
    let free: number | undefined;
    for (let place = group * PLACES; place < (group + 1) * PLACES; place++) {
      if ((this.#expiries[place] ?? 0) <= nowMs) free ??= place;
      else if (this.#keys[2 * place] === low && this.#keys[2 * place + 1] === high) return false;
    }
    if (free === undefined) return false;
    this.#keys.set([low, high], 2 * free);
    this.#expiries[free] = expMs;
    return true;
  }

  #lock(group: number): void {
    while (Atomics.compareExchange(this.#locks, group, 0, 1) !== 0) Atomics.wait(this.#locks, group, 1, LOCK_WAIT_MS);
  }
}
