// @ts-check
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from './lock.mjs';
import { cacheFolder } from './node.mjs';
import { root, say, stop } from './terminal.mjs';

const LOCKFILE = join(root, 'package-lock.json');
/** npm's own record of what it installed. */
const PRESENT = join(root, 'node_modules', '.package-lock.json');
/** The lockfile that this launcher last installed from. */
const STAMP = join(root, 'node_modules', '.svc-asr-installed');

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, bin?: unknown }} Entry
 * @typedef {{ packages?: Record<string, Entry> }} Lockfile
 */

/**
 * Whether what npm says it installed is what the lockfile asks for. Optional packages may be missing: they are for
 * other platforms.
 * @param {Lockfile} wanted package-lock.json
 * @param {Lockfile} present
 */
export function isInstalled(wanted, present) {
  return Object.entries(wanted.packages ?? {}).every(([path, entry]) => {
    if (path === '') return true;
    const found = present.packages?.[path];
    if (found === undefined) return entry.optional === true;
    return (
      found.version === entry.version &&
      found.integrity === entry.integrity &&
      JSON.stringify(found.bin) === JSON.stringify(entry.bin)
    );
  });
}

/**
 * Installs npm packages when node_modules does not hold what the lockfile asks for.
 * @param {string} node
 */
export function ensurePackages(node) {
  if (upToDate()) return;
  const name = `install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}.lock`;
  withLock(join(cacheFolder(), name), 'another command installs npm packages; waiting for it', () => {
    if (upToDate()) return;
    say('installing npm packages');
    const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}` };
    // Not `npm ci`: it refuses a lockfile in which optional packages for other systems are missing, and a registry
    // that does not carry them leaves them out of the lockfile. Instead the result is compared with the lockfile.
    const args = ['install', '--no-save', '--no-audit', '--no-fund'];
    const result = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env });
    if (result.status !== 0) stop('npm could not install the packages: see its message above');
    if (!isInstalled(readJson(LOCKFILE), readJson(PRESENT))) {
      say('package-lock.json does not fit the package.json files: "npm install" renews it');
    }
    writeFileSync(STAMP, lockfileHash());
  });
}

function upToDate() {
  if (!existsSync(PRESENT)) return false;
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lockfileHash()) return true;
  return isInstalled(readJson(LOCKFILE), readJson(PRESENT));
}

function lockfileHash() {
  return createHash('sha256').update(readFileSync(LOCKFILE)).digest('hex');
}

/**
 * @param {string} file
 * @returns {Lockfile}
 */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
