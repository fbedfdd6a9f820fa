const INDEX_BITS = 32n;
const INDEX_MASK = 0xffff_ffffn;

/** Memory of a stack of slots. */
export interface FreeSlotsMemory {
  readonly head: SharedArrayBuffer;
  readonly next: SharedArrayBuffer;
}

/** Allocates the memory of a stack that contains the slots from 0 to `slots` - 1. Slot 0 is taken first. */
export function createFreeSlots(slots: number): FreeSlotsMemory {
  const memory = {
    head: new SharedArrayBuffer(2 * BigUint64Array.BYTES_PER_ELEMENT),
    next: new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT),
  };
  new Int32Array(memory.next).forEach((_, slot, next) => {
    next[slot] = slot + 1 < slots ? slot + 2 : 0;
  });
  new BigUint64Array(memory.head).set([slots > 0 ? 1n : 0n, BigInt(slots)]);
  return memory;
}

/**
 * A stack of the slots that no stream holds, in shared memory. Several threads take and release slots without locks.
 * The head of the stack contains a counter that each change increases. So a thread can detect that the head has changed
 * since it read the head.
 */
export class FreeSlots {
  /**
   * Element 0 is the head of the stack, and element 1 is the number of slots on the stack. The upper 32 bits of the
   * head count its changes. The lower 32 bits are the top slot plus 1, or 0 if the stack is empty.
   */
  readonly #head: BigUint64Array;
  /**
   * Contains for each slot on the stack the number of the slot below it, plus 1. The slot at the bottom of the stack
   * has 0.
   */
  readonly #next: Int32Array;

  constructor({ head, next }: FreeSlotsMemory) {
    this.#head = new BigUint64Array(head);
    this.#next = new Int32Array(next);
  }

  /** Number of free slots. The number can include a slot that another thread is just taking or releasing. */
  get size(): number {
    return Number(Atomics.load(this.#head, 1));
  }

  /** Takes a slot. Returns undefined if no slot is free. */
  take(): number | undefined {
    for (;;) {
      const head = Atomics.load(this.#head, 0);
      const top = Number(head & INDEX_MASK);
      if (top === 0) return undefined;
      if (!this.#replace(head, Atomics.load(this.#next, top - 1))) continue;
      Atomics.sub(this.#head, 1, 1n);
      return top - 1;
    }
  }

  /** Releases a slot that `take` has returned. */
  release(slot: number): void {
    // Increases the size before another thread can take the slot. Otherwise the size could become negative.
    Atomics.add(this.#head, 1, 1n);
    for (;;) {
      const head = Atomics.load(this.#head, 0);
      Atomics.store(this.#next, slot, Number(head & INDEX_MASK));
      if (this.#replace(head, slot + 1)) return;
    }
  }

  /** Replaces the head of the stack. Returns false if another thread has changed the head since it was read. */
  #replace(head: bigint, top: number): boolean {
    const changes = BigInt.asUintN(32, (head >> INDEX_BITS) + 1n);
    return Atomics.compareExchange(this.#head, 0, head, (changes << INDEX_BITS) | BigInt(top)) === head;
  }
}
