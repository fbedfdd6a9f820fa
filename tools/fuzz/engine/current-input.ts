/** Input that a thread executes now. Another thread reads it if the execution does not end. */
export interface CurrentInput {
  set: (input: Buffer) => void;
  get: () => Buffer;
  /** Returns a number that changes with each execution. */
  count: () => number;
}

const HEAD_BYTES = 8;

/** Creates the memory for inputs of at most this size. */
export function createInputMemory(maxBytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(HEAD_BYTES + maxBytes);
}

/** Opens the memory in one of the threads that share it. */
export function openCurrentInput(memory: SharedArrayBuffer): CurrentInput {
  const [count, length] = [new Int32Array(memory, 0, 1), new Int32Array(memory, 4, 1)];
  const bytes = new Uint8Array(memory, HEAD_BYTES);
  return {
    set: (input) => {
      bytes.set(input.subarray(0, bytes.length));
      Atomics.store(length, 0, Math.min(input.length, bytes.length));
      Atomics.add(count, 0, 1);
    },
    get: () => Buffer.from(bytes.slice(0, Atomics.load(length, 0))),
    count: () => Atomics.load(count, 0),
  };
}
