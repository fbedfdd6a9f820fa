import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ensurePythonEnvironment } from '../install/python.ts';
import { withLock } from '../launch/lock.mjs';
import { cacheFolder } from '../launch/node.mjs';
import { logProgress, root } from '../launch/terminal.mjs';
import type { CompatClient } from './cases.ts';

/** Command that runs the programs of a client, with the packages of the client only. */
export interface ClientEnvironment {
  readonly command: string;
  /** Folder of the programs. */
  readonly folder: string;
  /** Version of the client's package. The table of the results shows it. */
  readonly version: string;
  readonly remove: () => void;
}

/** Installs the pinned packages of a client, unless the cache has them. */
export async function ensureClient(client: CompatClient): Promise<ClientEnvironment> {
  const folder = join(root, 'test/compat', client.folder);
  return client.language === 'Python' ? ensurePythonClient(client, folder) : ensureNodeClient(client, folder);
}

async function ensurePythonClient({ packageName }: CompatClient, folder: string): Promise<ClientEnvironment> {
  const lockFile = join(folder, 'requirements.lock');
  const { python } = await ensurePythonEnvironment(lockFile, false);
  const version = readLockedVersion(readFileSync(lockFile, 'utf8'), packageName);
  return { command: python, folder, version, remove: () => undefined };
}

/** Returns the version of a package in a lock file of Python. */
export function readLockedVersion(lock: string, packageName: string): string {
  const start = `${packageName}==`;
  const line = lock.split('\n').find((text) => text.startsWith(start));
  if (line === undefined) throw new Error(`the lock file does not contain ${packageName}`);
  return line.slice(start.length).split(/[ ;]/)[0] ?? '';
}

/**
 * Copies the programs of a client to a folder with its packages, because Node searches for packages from the folder of
 * a program.
 */
async function ensureNodeClient({ packageName }: CompatClient, source: string): Promise<ClientEnvironment> {
  const lock = readFileSync(join(source, 'package-lock.json'), 'utf8');
  const packages = await installPackages(source, lock);
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-compat-'));
  cpSync(source, folder, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  symlinkSync(join(packages, 'node_modules'), join(folder, 'node_modules'));
  const { packages: locked } = JSON.parse(lock) as { packages: Record<string, { version?: string }> };
  return {
    command: process.execPath,
    folder,
    version: locked[`node_modules/${packageName}`]?.version ?? '',
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function installPackages(source: string, lock: string): Promise<string> {
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(), `packages-${hash}`);
  const complete = join(folder, 'complete');
  await withLock(`${folder}.lock`, 'waiting for another command that is installing npm packages', () => {
    if (existsSync(complete)) return;
    logProgress(`installing the npm packages of ${source}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const name of ['package.json', 'package-lock.json']) cpSync(join(source, name), join(folder, name));
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}` };
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], env });
    if (status !== 0) throw new Error(`npm ci failed in ${folder}: see its message above`);
    writeFileSync(complete, '');
  });
  return folder;
}
