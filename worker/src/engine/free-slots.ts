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
 * Slots that no stream holds, as a stack in shared memory. Several threads take and release slots without locks. The
 * head contains a counter that each change increases. A thread can therefore detect that the head has changed since it
 * was read.
 */
export class FreeSlots {
  /**
   * Element 0 is the head of the stack, and element 1 is the number of slots on the stack. The upper 32 bits of the head
   * count its changes. The lower 32 bits are the top slot plus 1, or 0 if the stack is empty.
   */
  readonly #head: BigUint64Array;
  /** For each slot on the stack, the number of the slot below it, plus 1. It is 0 at the bottom of the stack. */
  readonly #next: Int32Array;

  constructor({ head, next }: FreeSlotsMemory) {
    this.#head = new BigUint64Array(head);
    this.#next = new Int32Array(next);
  }

  /** Number of free slots. For a moment it may include a slot that is being taken or released. */
  get size(): number {
    return Number(Atomics.load(this.#head, 1));
  }

  /** Takes a slot. Undefined if none is free. */
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

  /** Puts a slot that `take` returned back on the stack. */
  release(slot: number): void {
    // The size counts the slot before another thread can take it, so that it is never negative.
    Atomics.add(this.#head, 1, 1n);
    for (;;) {
      const head = Atomics.load(this.#head, 0);
      Atomics.store(this.#next, slot, Number(head & INDEX_MASK));
      if (this.#replace(head, slot + 1)) return;
    }
  }

  /** Replaces the top of the stack unless another thread has changed it. */
  #replace(head: bigint, top: number): boolean {
    const changes = BigInt.asUintN(32, (head >> INDEX_BITS) + 1n);
    return Atomics.compareExchange(this.#head, 0, head, (changes << INDEX_BITS) | BigInt(top)) === head;
  }
}
