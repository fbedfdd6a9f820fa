import { NativeError } from './error.ts';
import type { Koffi, Pointer } from './koffi.ts';

/** Host memory from which and to which the device can copy. The buffer is valid until `releaseHost` is called. */
export interface HostBlock {
  readonly pointer: Pointer;
  readonly buffer: ArrayBuffer;
}

/**
 * A point in the sequence of work of a device. The event is complete when the device has done all work before this
 * point.
 */
export interface DeviceEvent {
  /** Places the event after all work that was issued to the device before this call. */
  record(): void;
  /** Reports whether the work before the event is complete. */
  isDone(): boolean;
  /** Blocks the thread until the work before the event is complete. */
  wait(): void;
  /** Resolves when the work before the event is complete. */
  done(): Promise<void>;
  /** Returns the device time between an earlier event and this event. Both events must be complete. */
  msSince(earlier: DeviceEvent): number;
  release(): void;
}

/**
 * Memory of the device that runs the graphs. Copies and fills are asynchronous, and run in the order in which they were
 * issued. To learn when a copy has ended, record an event after the copy. Do not change the host memory of the copy
 * until this event is complete.
 */
export interface DeviceMemory {
  readonly provider: 'cpu' | 'cuda';
  /** Number of the device. */
  readonly device: number;
  /**
   * CUDA stream in which both copies and runs are executed in order. Undefined if runs use a different stream than
   * copies. The host must then wait for copies before a run.
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
  /**
   * Releases internal objects such as the CUDA stream. Does not release allocated blocks, which their owners must
   * release.
   */
  close(): void;
}

/** Copies bytes of device memory to the host, waits until the copy has ended, and returns the bytes. */
export function readBack(memory: DeviceMemory, device: Pointer, bytes: number): ArrayBuffer {
  const block = memory.allocateHost(bytes);
  memory.copyToHost(block.pointer, device, bytes);
  memory.synchronize();
  const copy = block.buffer.slice(0);
  memory.releaseHost(block);
  return copy;
}

/** Alignment of blocks in bytes. It is enough for all vector instructions of CPUs. */
const ALIGNMENT = 64;

/**
 * Returns an object that uses host memory in place of device memory, for graphs that run on CPUs. Every operation is
 * complete when its call returns.
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

// Constants for sysconf in the C library of Linux.
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
    // Does not wait, because all work on host memory has ended when its call returns.
  }

  /** Resolves in a later turn of the event loop, because an event of a GPU also takes time. */
  done(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  msSince(earlier: DeviceEvent): number {
    return earlier instanceof HostEvent ? this.#at - earlier.#at : 0;
  }

  release(): void {
    // Does nothing, because the object owns no native memory.
  }
}

/** Returns the smallest multiple of `unit` that is at least `value`. */
export const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;
