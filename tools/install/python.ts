import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../launch/lock.mjs';
import { cacheFolder } from '../launch/node.mjs';
import { logProgress } from '../launch/terminal.mjs';
import { ensureInstalled, findOnPath } from './system-package.ts';
import type { SystemPackage } from './system-package.ts';
import { askVersion, isAtLeast } from './version.ts';
import type { Version } from './version.ts';

/** Oldest Python that the Python client supports. */
const OLDEST_PYTHON: Version = [3, 10, 0];

/** Python that can create virtual environments. Debian has a separate package for this. */
export const PYTHON: SystemPackage<{ path: string; version: string }> = {
  title: 'Python',
  need: `python3 ${OLDEST_PYTHON[0]}.${OLDEST_PYTHON[1]} or newer with venv and pip`,
  packages: {
    'apt-get': ['python3 python3-venv'],
    dnf: ['python3 python3-pip'],
    apk: ['python3 py3-pip'],
    brew: ['python'],
  },
  find: findPython,
};

/** Finds a Python that is new enough and can create virtual environments. */
export function findPython(path?: string): { path: string; version: string } | undefined {
  const python = findOnPath('python3', path);
  const version = python === undefined ? undefined : askVersion(python, ['--version']);
  if (python === undefined || version === undefined || !isAtLeast(version, OLDEST_PYTHON)) return undefined;
  const { status } = spawnSync(python, ['-c', 'import venv, ensurepip'], { stdio: 'ignore' });
  return status === 0 ? { path: python, version: version.join('.') } : undefined;
}

/** A virtual environment with the packages of a lock file. */
export interface PythonEnvironment {
  /** Python of the environment. */
  python: string;
  /**
   * Folder with the wheels of all packages, from which further environments can be installed offline. The folder does
   * not exist without `keepsWheels`.
   */
  wheels: string;
}

/**
 * Creates a virtual environment with the locked packages, unless the cache has it. pip checks the hashes. Without
 * `keepsWheels` there is no folder with wheels, and the lock file may name packages that have no wheel.
 */
export async function ensurePythonEnvironment(lockFile: string, keepsWheels = true): Promise<PythonEnvironment> {
  const { path, version } = await ensureInstalled(PYTHON);
  const hash = createHash('sha256').update(readFileSync(lockFile)).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(), `python-${version}-${hash}`);
  const [python, wheels, complete] = [join(folder, 'bin/python'), join(folder, 'wheels'), join(folder, 'complete')];
  await withLock(`${folder}.lock`, 'waiting for another command that is installing Python packages', () => {
    if (existsSync(complete)) return;
    logProgress(`installing the Python packages of ${lockFile}`);
    rmSync(folder, { recursive: true, force: true });
    run(path, ['-m', 'venv', folder]);
    const locked = ['--quiet', '--disable-pip-version-check', '--require-hashes', '-r', lockFile];
    if (keepsWheels) run(python, ['-m', 'pip', 'download', ...locked, '-d', wheels]);
    const offline = keepsWheels ? ['--no-index', '--find-links', wheels] : [];
    run(python, ['-m', 'pip', 'install', ...locked, ...offline]);
    writeFileSync(complete, '');
  });
  return { python, wheels };
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${[command, ...args].join(' ')} failed: see its message above`);
}
