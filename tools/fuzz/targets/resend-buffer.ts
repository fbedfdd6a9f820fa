import { ResendBuffer } from '@svc-asr/core';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

const MAX_BYTES = 64;

/** Compares the buffer under test with a simple model that stores all sent bytes. */
class Model {
  readonly buffer = new ResendBuffer(MAX_BYTES);
  #sent = Buffer.alloc(0);
  /** Position of the first byte that must still be kept. */
  #start = 0;

  add(sizes: readonly number[]): void {
    const pieces = sizes.map((size, index) => Buffer.alloc(size, this.#sent.length + index));
    const bytes = Buffer.concat(pieces);
    this.#sent = Buffer.concat([this.#sent, bytes]);
    this.buffer.add(pieces, bytes.length);
    if (this.#sent.length - this.#start > MAX_BYTES) this.#start = this.#sent.length - MAX_BYTES / 2;
  }

  acknowledge(position: number): void {
    check(this.buffer.acknowledge(position) === position <= this.#sent.length, 'an ack has the wrong outcome');
    if (position <= this.#sent.length) this.#start = Math.max(this.#start, position);
  }

  resume(received: number): void {
    const canResume = received >= this.#start && received <= this.#sent.length;
    check(this.buffer.has(received) === canResume, 'has returns the wrong answer');
    if (!canResume) return;
    const again = Buffer.concat(this.buffer.after(received));
    check(again.equals(this.#sent.subarray(received)), 'a resume sends other bytes than the missing ones');
    this.#start = received;
  }
}

export const target: FuzzTarget = {
  property: 'ResendBuffer sends exactly the missing bytes again, and knows whether it still has them.',
  seeds: [Buffer.from([0, 5, 3, 1, 4, 2, 6]), Buffer.from([0, 40, 40, 2, 50, 1, 60])],
  dictionary: [],
  maxBytes: 256,
  run: (input) => {
    const model = new Model();
    for (let at = 0; at + 1 < input.length; at += 2) {
      const [kind = 0, value = 0] = input.subarray(at, at + 2);
      if (kind % 3 === 0) model.add([value % 16, kind % 8]);
      else if (kind % 3 === 1) model.acknowledge(value);
      else model.resume(value);
    }
  },
};
