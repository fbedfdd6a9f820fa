import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../launch/node.mjs';
import { messageOf, logProgress } from '../launch/terminal.mjs';
import { PLATFORMS } from './platform.ts';
import type { Platform } from './platform.ts';

/** Debian fixes libraries every few weeks, so downloaded packages are replaced after this time. */
const MAX_AGE_MS = 7 * 86_400_000;

/** An unpacked Debian package. */
export interface DebianPackage {
  name: string;
  version: string;
  /** Folder with the files of the package, at their paths from the root. */
  folder: string;
}

/** Downloads and unpacks packages of this machine's Debian or Ubuntu for any platform. Installs nothing. */
export function fetchDebianPackages(names: readonly string[], platform: Platform): DebianPackage[] {
  const arch = PLATFORMS[platform].debian;
  const key = createHash('sha256').update(names.join()).digest('hex').slice(0, 12);
  const target = join(cacheFolder(), `debian-${arch}-${key}`);
  if (!existsSync(target) || Date.now() - statSync(target).mtimeMs > MAX_AGE_MS) download(names, arch, target);
  return readdirSync(target)
    .sort()
    .map((entry) => {
      const [name = '', version = ''] = entry.split('_');
      return { name, version: decodeURIComponent(version), folder: join(target, entry) };
    });
}

function download(names: readonly string[], arch: string, target: string): void {
  logProgress(`downloading Debian packages for ${arch}: ${names.join(' ')}`);
  mkdirSync(cacheFolder(), { recursive: true });
  const temporary = mkdtempSync(join(cacheFolder(), 'debian-tmp-'));
  try {
    const apt = aptArguments(temporary, arch);
    for (const name of ['debs', 'unpacked']) mkdirSync(join(temporary, name));
    run('apt-get', [...apt, '-qq', 'update'], temporary);
    run('apt-get', [...apt, '-qq', 'download', ...names], join(temporary, 'debs'));
    for (const deb of readdirSync(join(temporary, 'debs'))) {
      run('dpkg-deb', ['-x', join('debs', deb), join('unpacked', deb.replace(/\.deb$/, ''))], temporary);
    }
    rmSync(target, { recursive: true, force: true });
    renameSync(join(temporary, 'unpacked'), target);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * Returns options that give apt its own package lists. They leave the lists of the machine unchanged and allow any
 * platform.
 */
function aptArguments(folder: string, arch: string): string[] {
  for (const name of ['state/lists/partial', 'cache/archives/partial']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'status'), '');
  const options = {
    'APT::Architecture': arch,
    'APT::Architectures': arch,
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': join(folder, 'cache'),
    // apt's usual user may not write to this folder.
    'APT::Sandbox::User': 'root',
  };
  return Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

function run(command: string, args: readonly string[], cwd: string): void {
  try {
    execFileSync(command, args, { cwd, stdio: 'pipe' });
  } catch (error) {
    throw new Error(`${messageOf(error)}\nBuild on Debian or Ubuntu, or use images/Dockerfile`, { cause: error });
  }
}
