import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { totalmem } from 'node:os';
import { networkOf } from '@svc-asr/runtime';
import type { TrustProxy } from './client-address.ts';
import type { GatewayMetrics } from '../metrics.ts';

/** Number of open files that the gateway needs besides the connections of clients and workers. */
const OTHER_FILES = 128;
/**
 * Assumed number of open files per client: its connection, and at most one connection to a worker. Streams to the same
 * worker share a connection.
 */
const FILES_PER_CLIENT = 2;
/**
 * Share of the memory that connections may use, and assumed size of one connection. Audio is limited separately, by
 * STREAM_MEMORY_MIB.
 */
export const MEMORY_SHARE = 1 / 8;
const BYTES_PER_CONNECTION = 65_536;
const FEWEST = 64;
/** Assumed limit of open files on systems on which the limit cannot be read, such as macOS. */
const USUAL_FILES = 10_240;

export interface ConnectionLimitOptions {
  /** Maximum number of connections. */
  max: number;
  /** Maximum number of connections from one IPv4 address or one IPv6 network of 64 bits. 0 means no limit. */
  maxPerAddress: number;
  /**
   * Decides whether an address is a trusted proxy. `maxPerAddress` does not apply to a trusted proxy, because one proxy
   * opens connections for many clients.
   */
  trustProxy: TrustProxy;
  metrics: Pick<GatewayMetrics, 'connectionsRefused'>;
}

/** Closes connections over the limits at once, before anything is read from them. Call it before the server listens. */
export function limitConnections(server: Server, options: ConnectionLimitOptions): void {
  const { max, maxPerAddress, trustProxy, metrics } = options;
  server.maxConnections = max;
  server.on('drop', () => metrics.connectionsRefused.add(1, { reason: 'limit' }));
  if (maxPerAddress === 0) return;
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (trustProxy(remoteAddress, 0)) return;
    const network = networkOf(remoteAddress);
    const count = counts.get(network) ?? 0;
    if (count >= maxPerAddress) {
      metrics.connectionsRefused.add(1, { reason: 'address_limit' });
      socket.destroy();
      return;
    }
    counts.set(network, count + 1);
    socket.once('close', () => {
      const left = (counts.get(network) ?? 1) - 1;
      if (left > 0) counts.set(network, left);
      else counts.delete(network);
    });
  });
}

/**
 * Returns the maximum number of connections to the API. If `setting` is 0, the number is derived from the memory and
 * the limit of open files.
 */
export function maxConnectionsOf(setting: number): number {
  return setting === 0 ? defaultMaxConnections() : setting;
}

/**
 * Returns the number of connections that this process can hold, according to its memory and its limit of open files.
 */
function defaultMaxConnections(): number {
  // If there is no limit, constrainedMemory() returns either 0 or a value above the memory of the machine.
  const memoryLimit = process.constrainedMemory();
  const memoryBytes = memoryLimit > 0 ? Math.min(memoryLimit, totalmem()) : totalmem();
  return computeMaxConnections(memoryBytes, readOpenFileLimit());
}

export function computeMaxConnections(memoryBytes: number, openFiles: number): number {
  const byFiles = Math.floor((openFiles - OTHER_FILES) / FILES_PER_CLIENT);
  const byMemory = Math.floor((memoryBytes * MEMORY_SHARE) / BYTES_PER_CONNECTION);
  return Math.max(FEWEST, Math.min(byFiles, byMemory));
}

function readOpenFileLimit(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? USUAL_FILES : Number(soft);
  } catch {
    return USUAL_FILES;
  }
}
