import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { logProgress, messageOf } from '../../tools/launch/terminal.mjs';
import type { ResourceReading, ResourceSample } from './growth.ts';

const INTERVAL_MS = 5000;
const PAGE_BYTES = 4096;
const MEBIBYTE = 1_048_576;
const PROGRAM = /\/(gateway|operator|console|worker)\/dist\/main\.js|(redis-server|valkey-server)/;

/** Reads memory and sockets of the services that a process has started. */
export function readProcesses(rootPid: number): ResourceSample {
  const parents = new Map(listProcesses().map(({ pid, parent }) => [pid, parent]));
  const sample: Record<string, number> = {};
  for (const pid of parents.keys()) {
    if (!isDescendant(pid, rootPid, parents)) continue;
    try {
      const [, service, redis] = PROGRAM.exec(readFileSync(`/proc/${pid}/cmdline`, 'latin1')) ?? [];
      const program = service ?? redis;
      if (program === undefined) continue;
      const resident = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
      const [memory, sockets] = [`memory of ${program} (MiB)`, `sockets of ${program}`];
      sample[memory] = (sample[memory] ?? 0) + (resident * PAGE_BYTES) / MEBIBYTE;
      sample[sockets] = (sample[sockets] ?? 0) + countSockets(pid);
    } catch {
      // The process has ended in the meantime.
    }
  }
  return sample;
}

function listProcesses(): { pid: number; parent: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The name of the program is in parentheses and may contain spaces.
        const fields = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ')[1] ?? '';
        return [{ pid: Number(name), parent: Number(fields.split(' ')[1]) }];
      } catch {
        return [];
      }
    });
}

function isDescendant(pid: number, ancestor: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at = parents.get(pid); at !== undefined && at > 0; at = parents.get(at)) if (at === ancestor) return true;
  return false;
}

function countSockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  const isSocket = (name: string) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:');
    } catch {
      // The file was closed in the meantime.
      return false;
    }
  };
  return readdirSync(folder).filter(isSocket).length;
}

/** Returns the number of keys in a Redis. */
export async function countKeys(redisUrl: string): Promise<number> {
  const { hostname, port, username, password } = new URL(redisUrl);
  const [user, secret] = [decodeURIComponent(username) || 'default', decodeURIComponent(password)];
  const socket = connect(Number(port), hostname);
  const commands = [...(secret === '' ? [] : [['AUTH', user, secret]]), ['DBSIZE'], ['QUIT']];
  socket.end(commands.map(encodeCommand).join(''));
  const answer = await text(socket);
  const [, count] = /^:(\d+)\r$/m.exec(answer) ?? [];
  if (count === undefined) throw new Error(`Redis answered DBSIZE with ${answer.trim()}`);
  return Number(count);
}

/** Encodes a command of Redis as an array of texts. */
function encodeCommand(words: readonly string[]): string {
  return [`*${words.length}`, ...words.flatMap((word) => [`$${Buffer.byteLength(word)}`, word]), ''].join('\r\n');
}

/** Readings of the resources that a service uses. */
export interface ResourceWatch {
  readonly readings: ResourceReading[];
  /** Number of readings that failed. */
  failures: number;
  readonly stop: () => void;
}

/**
 * Reads the resources of the services that this process has started, until `stop` is called. `countStreams` returns the
 * number of streams at the moment of the call.
 */
export function watchResources(redisUrl: string, countStreams: () => number): ResourceWatch {
  const timer = setInterval(() => void read(), INTERVAL_MS);
  const watch: ResourceWatch = { readings: [], failures: 0, stop: () => clearInterval(timer) };
  async function read(): Promise<void> {
    try {
      const keys = await countKeys(redisUrl);
      const resources = { ...readProcesses(process.pid), 'keys in Redis': keys };
      watch.readings.push({ resources, streams: countStreams() });
    } catch (error) {
      if (watch.failures++ === 0) logProgress(`the resources of the service cannot be read: ${messageOf(error)}`);
    }
  }
  return watch;
}
