import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { logProgress, messageOf } from '../../tools/launch/terminal.mjs';
import type { Gate } from './gates.ts';

/** Amounts of resources at one moment, by name. */
export type ResourceSample = Readonly<Record<string, number>>;

/** Growth that is allowed between two parts of a run, as a share and as an amount. */
const MAX_GROWTH = 0.1;
const SLACK = { MiB: 16, sockets: 20, keys: 200 } as const;
const INTERVAL_MS = 5000;
/**
 * Number of parts of a run. The second part is compared with the last part, because the first part includes the start.
 */
const PARTS = 4;
const MIN_SAMPLES = 2 * PARTS;
const PAGE_BYTES = 4096;
const MEBIBYTE = 1_048_576;
const PROGRAM = /\/(gateway|operator|console|worker)\/dist\/main\.js|(redis-server|valkey-server)/;

/**
 * Checks that no resource grew during a run. Returns no result for a run that is too short. Fails a run in which most
 * readings failed.
 */
export function judgeGrowth(samples: readonly ResourceSample[], failures = 0): Gate[] {
  if (failures > samples.length) {
    return [{ name: 'resources were read', passed: false, detail: `${failures} readings failed` }];
  }
  if (samples.length < MIN_SAMPLES) return [];
  const size = Math.floor(samples.length / PARTS);
  const names = [...new Set(samples.flatMap((sample) => Object.keys(sample)))];
  return names.flatMap((name): Gate[] => {
    const medianOf = (part: readonly ResourceSample[]) => median(part.flatMap((sample) => sample[name] ?? []));
    const [early, late] = [medianOf(samples.slice(size, 2 * size)), medianOf(samples.slice(-size))];
    // A process that started later has no early value.
    if (early === undefined || late === undefined) return [];
    const unit = name.endsWith('(MiB)') ? 'MiB' : name.startsWith('sockets') ? 'sockets' : 'keys';
    const passed = late <= early * (1 + MAX_GROWTH) + SLACK[unit];
    return [{ name: `${name} did not grow`, passed, detail: `${Math.round(early)}, then ${Math.round(late)}` }];
  });
}

function median(values: readonly number[]): number | undefined {
  return [...values].sort((one, other) => one - other)[values.length >> 1];
}

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

/** Readings of the resources of a service. */
export interface ResourceWatch {
  readonly samples: ResourceSample[];
  /** Number of readings that failed. */
  failures: number;
  readonly stop: () => void;
}

/** Samples the resources of the services that this process has started, until `stop` is called. */
export function watchResources(redisUrl: string): ResourceWatch {
  const timer = setInterval(() => void sample(), INTERVAL_MS);
  const watch: ResourceWatch = { samples: [], failures: 0, stop: () => clearInterval(timer) };
  async function sample(): Promise<void> {
    try {
      const keys = await countKeys(redisUrl);
      watch.samples.push({ ...readProcesses(process.pid), 'keys in Redis': keys });
    } catch (error) {
      if (watch.failures++ === 0) logProgress(`the resources of the service cannot be read: ${messageOf(error)}`);
    }
  }
  return watch;
}
