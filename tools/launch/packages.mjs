// @ts-check
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from './lock.mjs';
import { cacheFolder } from './node.mjs';
import { root, logProgress, stop } from './terminal.mjs';

const LOCKFILE = join(root, 'package-lock.json');
/** Record of npm about the packages that it installed. */
const INSTALLED = join(root, 'node_modules', '.package-lock.json');

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, bin?: unknown }} Entry
 * @typedef {{ packages?: Record<string, Entry> }} Lockfile
 */

/**
 * Returns whether the installed packages are those of the lockfile. Optional packages may be missing, because npm
 * installs only those for this machine's platform.
 * @param {Lockfile} lockfile package-lock.json
 * @param {Lockfile} installed npm's record in node_modules
 */
export function isInstalled(lockfile, installed) {
  return Object.entries(lockfile.packages ?? {}).every(([path, entry]) => {
    if (path === '') return true;
    const found = installed.packages?.[path];
    if (found === undefined) return entry.optional === true;
    return (
      found.version === entry.version &&
      found.integrity === entry.integrity &&
      JSON.stringify(found.bin) === JSON.stringify(entry.bin)
    );
  });
}

/**
 * Runs `npm ci` unless node_modules already holds the packages of the lockfile.
 * @param {string} node
 */
export async function ensurePackages(node) {
  if (isUpToDate()) return;
  const name = `install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}.lock`;
  await withLock(join(cacheFolder(), name), 'waiting for another command that is installing npm packages', () => {
    if (isUpToDate()) return;
    logProgress('installing npm packages');
    const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}` };
    const result = spawnSync('npm', ['ci'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env });
    if (result.status !== 0) stop('"npm ci" failed: see its message above');
  });
}

function isUpToDate() {
  if (!existsSync(INSTALLED)) return false;
  return isInstalled(JSON.parse(readFileSync(LOCKFILE, 'utf8')), JSON.parse(readFileSync(INSTALLED, 'utf8')));
}
