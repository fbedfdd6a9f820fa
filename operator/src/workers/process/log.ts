import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findLastLogLine } from '../last-log-line.ts';

/** Number of log files that are kept for each model. */
const KEPT_PER_MODEL = 20;
const LAST_BYTES = 8192;

/** Returns the log file of a worker. */
export function logFileOf(folder: string, id: string): string {
  return join(folder, `worker-${id}.log`);
}

/** Opens the log file of a new worker, readable by its owner only. Deletes the oldest log files of the same model. */
export function openLog(folder: string, model: string, id: string): number {
  mkdirSync(folder, { recursive: true });
  const ofModel = new RegExp(`^worker-${model}-[0-9a-f]+\\.log$`);
  const files = readdirSync(folder).filter((name) => ofModel.test(name));
  const byAge = files
    .map((name) => ({ file: join(folder, name), writtenMs: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.writtenMs - a.writtenMs);
  for (const { file } of byAge.slice(KEPT_PER_MODEL - 1)) rmSync(file, { force: true });
  return openSync(logFileOf(folder, id), 'a', 0o600);
}

/** Returns the log line that best explains why a worker ended. Empty if the worker logged nothing. */
export function readLastLogLine(file: string): string {
  return findLastLogLine(readTail(file));
}

function readTail(file: string): string {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const { size } = fstatSync(descriptor);
      const buffer = Buffer.alloc(Math.min(size, LAST_BYTES));
      readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}
