import { NativeError } from './error.ts';
import type { Koffi, Pointer } from './koffi.ts';

/** Host memory that the device can copy from and to. The buffer is valid until `releaseHost`. */
export interface HostBlock {
  readonly pointer: Pointer;
  readonly buffer: ArrayBuffer;
}

/** A point in the sequence of work of a device. It is complete when the device has done all work before this point. */
export interface DeviceEvent {
  /** Moves the event after all work that the device has been given so far. */
  record(): void;
  /** Reports whether the work before the event is complete. */
  isDone(): boolean;
  /** Blocks the thread until the work before the event is complete. */
  wait(): void;
  /** Resolves when the work before the event is complete. */
  done(): Promise<void>;
  /** Returns the device time between an earlier event and this one. Both must be complete. */
  msSince(earlier: DeviceEvent): number;
  release(): void;
}

/**
 * Memory of the device that runs the graphs. Copies and fills are asynchronous, and run in the order in which they were
 * issued. Host memory that a copy reads or writes must stay unchanged until an event that was recorded after the copy
 * is complete.
 */
export interface DeviceMemory {
  readonly provider: 'cpu' | 'cuda';
  /** Number of the device. */
  readonly device: number;
  /**
   * Stream that orders copies and runs. Undefined if runs use another stream, so that the host must wait for copies.
   */
  readonly stream: Pointer | undefined;
  /** Allocates device memory. Its content is undefined. */
  allocate(bytes: number): Pointer;
  release(pointer: Pointer): void;
  allocateHost(bytes: number): HostBlock;
  releaseHost(block: HostBlock): void;
  copyToDevice(device: Pointer, host: Pointer, bytes: number): void;
  copyToHost(host: Pointer, device: Pointer, bytes: number): void;
  /** Sets every byte of a range of device memory. */
  fill(device: Pointer, byte: number, bytes: number): void;
  createEvent(): DeviceEvent;
  /** Blocks the thread until all issued work is complete. */
  synchronize(): void;
  /** Returns the number of bytes of device memory that can still be allocated. */
  freeBytes(): number;
  /** Releases objects that belong to the memory itself, such as its stream. Blocks must be released by their owners. */
  close(): void;
}

/** Copies bytes of device memory to the host and waits for them. */
export function readBack(memory: DeviceMemory, device: Pointer, bytes: number): ArrayBuffer {
  const block = memory.allocateHost(bytes);
  memory.copyToHost(block.pointer, device, bytes);
  memory.synchronize();
  const copy = block.buffer.slice(0);
  memory.releaseHost(block);
  return copy;
}

/** Alignment of blocks in bytes. No vector instruction of a CPU needs more. */
const ALIGNMENT = 64;

/**
 * Creates memory of the host that is used like device memory, for graphs that run on CPUs. Every operation is complete
 * when it returns.
 */
export function createHostMemory(koffi: Koffi): DeviceMemory {
  const libc = koffi.load(null);
  const alignedAlloc = libc.func('aligned_alloc', 'void *', ['size_t', 'size_t']);
  const free = libc.func('free', 'void', ['void *']);
  const memcpy = libc.func('memcpy', 'void *', ['void *', 'void *', 'size_t']);
  const memset = libc.func('memset', 'void *', ['void *', 'int', 'size_t']);
  const sysconf = libc.func('sysconf', 'long', ['int']);
  const allocate = (bytes: number): Pointer => {
    const pointer = alignedAlloc(ALIGNMENT, roundUp(bytes, ALIGNMENT)) as Pointer | null;
    if (pointer === null) throw new NativeError('call_failed', `the host has no ${bytes} bytes of memory left`);
    return pointer;
  };
  return {
    provider: 'cpu',
    device: 0,
    stream: undefined,
    allocate,
    release: (pointer) => void free(pointer),
    allocateHost: (bytes) => {
      const pointer = allocate(bytes);
      return { pointer, buffer: koffi.view(pointer, bytes) };
    },
    releaseHost: ({ pointer }) => void free(pointer),
    copyToDevice: (device, host, bytes) => void memcpy(device, host, bytes),
    copyToHost: (host, device, bytes) => void memcpy(host, device, bytes),
    fill: (device, byte, bytes) => void memset(device, byte, bytes),
    createEvent: () => new HostEvent(),
    synchronize: () => undefined,
    freeBytes: () => Number(sysconf(SC_AVPHYS_PAGES)) * Number(sysconf(SC_PAGESIZE)),
    close: () => undefined,
  };
}

// These are constants for sysconf in the C library of Linux.
const SC_PAGESIZE = 30;
const SC_AVPHYS_PAGES = 86;

class HostEvent implements DeviceEvent {
  #at = 0;

  record(): void {
    this.#at = performance.now();
  }

  isDone(): boolean {
    return true;
  }

  wait(): void {
    // Nothing to wait for, because all work of the host ends before its call returns.
  }

  /** Resolves in a later turn of the event loop, because an event of a GPU also takes time. */
  done(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  msSince(earlier: DeviceEvent): number {
    return earlier instanceof HostEvent ? this.#at - earlier.#at : 0;
  }

  release(): void {
    // Nothing to release, because nothing is allocated outside of the object.
  }
}

/** Returns the smallest multiple of `unit` that is at least `value`. */
export const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;
