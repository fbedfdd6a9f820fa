import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from './identity.ts';

/** A worker process, as recorded for the next operator. */
export interface WorkerProcess {
  id: string;
  model: string;
  revision: string;
  pid: number;
  /** See `identityOf`. */
  identity: string;
  startedAtMs: number;
}

/** The worker processes of a state folder, one file each. */
export interface Records {
  put: (worker: WorkerProcess) => void;
  remove: (id: string) => void;
  /** Returns all records. Unreadable files are deleted. */
  read: () => WorkerProcess[];
}

/** Reports whether the recorded process still runs. False if its pid belongs to another process now. */
export function isOurs({ pid, identity }: Pick<WorkerProcess, 'pid' | 'identity'>): boolean {
  return identityOf(pid) === identity;
}

/** Opens the records of a folder, which is created if it does not exist. */
export function openRecords(folder: string): Records {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fileOf = (id: string) => join(folder, `${id}.json`);
  return {
    put: (worker) => {
      const temporary = join(folder, `${worker.id}.tmp`);
      writeFileSync(temporary, `${JSON.stringify(worker)}\n`, { mode: 0o600 });
      renameSync(temporary, fileOf(worker.id));
    },
    remove: (id) => rmSync(fileOf(id), { force: true }),
    read: () => {
      const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
      return names.flatMap((name) => {
        const worker = parse(join(folder, name));
        if (worker === undefined) rmSync(join(folder, name), { force: true });
        return worker ?? [];
      });
    },
  };
}

function parse(file: string): WorkerProcess | undefined {
  try {
    const worker = JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<keyof WorkerProcess, unknown>>;
    const texts = [worker.id, worker.model, worker.revision, worker.identity];
    const valid = texts.every((text) => typeof text === 'string') && Number.isInteger(worker.pid);
    return valid ? (worker as unknown as WorkerProcess) : undefined;
  } catch {
    return undefined;
  }
}
