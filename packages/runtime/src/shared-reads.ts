import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Memory into which sockets read. It is shared by all sockets of this thread that use readIntoSharedMemory. Without it,
 * Node allocates 64 KiB for each read, copies the received bytes to a second buffer and passes that buffer through a
 * readable stream. For small reads this costs more than the system call.
 */
const SHARED = Buffer.allocUnsafeSlow(65_536);

type OnRead = (length: number) => boolean;

/** A socket with its private fields. */
interface OpenSocket {
  readonly _handle?: { readonly useUserBuffer?: (buffer: Uint8Array) => void } | null;
  [field: symbol]: unknown;
}

const FIELDS = findFields();

/**
 * Makes a socket read into memory that it shares with other sockets. `onBytes` gets the bytes instead of a `data`
 * event, and must not keep them, because the next read overwrites them. Bytes that the socket has already received
 * still cause a `data` event.
 *
 * Sockets have the option `onread` for this, but only before they connect. The function therefore sets the private
 * fields of that option. Returns false if it cannot set them, for example because the socket is a stream in memory. All
 * bytes then cause `data` events.
 */
export function readIntoSharedMemory(socket: Duplex, onBytes: (bytes: Buffer) => void): boolean {
  if (FIELDS === undefined || !(socket instanceof Socket)) return false;
  const opened = socket as unknown as OpenSocket;
  if (typeof opened._handle?.useUserBuffer !== 'function') return false;
  const onRead: OnRead = (length) => {
    onBytes(SHARED.subarray(0, length));
    return true;
  };
  opened[FIELDS.buffer] = SHARED;
  opened[FIELDS.callback] = onRead;
  opened._handle.useUserBuffer(SHARED);
  return true;
}

/** Returns the fields in which a socket stores the parts of the option `onread`. */
function findFields(): { buffer: symbol; callback: symbol } | undefined {
  const callback: OnRead = () => true;
  const example = new Socket({ onread: { buffer: SHARED, callback } });
  const fields = example as unknown as OpenSocket;
  const fieldOf = (value: unknown) => Object.getOwnPropertySymbols(example).find((field) => fields[field] === value);
  const [bufferField, callbackField] = [fieldOf(SHARED), fieldOf(callback)];
  if (bufferField === undefined || callbackField === undefined) return undefined;
  return { buffer: bufferField, callback: callbackField };
}
