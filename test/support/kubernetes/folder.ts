import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../../tools/launch/processes.mjs';

const PREFIX = 'svc-asr-kubernetes-';
/** Time for which the logs of a cluster are kept if the cluster failed to start, or if its test was killed. */
const KEPT_MS = 3_600_000;

/**
 * Creates a folder for a cluster of this process. Deletes old folders of killed processes. Each such folder takes 120
 * MB.
 */
export function createFolder(parent = tmpdir(), now = Date.now()): string {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    if (name.startsWith(PREFIX) && isLeft(folder, now)) rmSync(folder, { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(parent, PREFIX));
  writeFileSync(join(folder, 'pid'), String(process.pid));
  return folder;
}

function isLeft(folder: string, now: number): boolean {
  try {
    const file = join(folder, 'pid');
    return !isAlive(Number(readFileSync(file, 'utf8'))) && now - statSync(file).mtimeMs > KEPT_MS;
  } catch {
    // Another process is creating or deleting the folder.
    return false;
  }
}
