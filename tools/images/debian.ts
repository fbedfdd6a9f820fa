import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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

/**
 * Downloads and unpacks packages of this machine's Debian or Ubuntu for any platform. Installs nothing. With
 * `isBackported`, only the backports of the release are searched.
 */
export function fetchDebianPackages(
  names: readonly string[],
  platform: Platform,
  { isBackported = false } = {},
): DebianPackage[] {
  const arch = PLATFORMS[platform].debian;
  const wanted = [...names, ...(isBackported ? ['backports'] : [])].join();
  const key = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  const target = join(cacheFolder(), `debian-${arch}-${key}`);
  if (!existsSync(target) || Date.now() - statSync(target).mtimeMs > MAX_AGE_MS) {
    download(names, arch, target, isBackported);
  }
  return readdirSync(target)
    .sort()
    .map((entry) => {
      const [name = '', version = ''] = entry.split('_');
      return { name, version: decodeURIComponent(version), folder: join(target, entry) };
    });
}

function download(names: readonly string[], arch: string, target: string, isBackported: boolean): void {
  logProgress(`downloading Debian packages for ${arch}: ${names.join(' ')}`);
  mkdirSync(cacheFolder(), { recursive: true });
  const temporary = mkdtempSync(join(cacheFolder(), 'debian-tmp-'));
  try {
    const apt = [...aptArguments(temporary, arch), ...(isBackported ? backportsArguments(temporary) : [])];
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

/** Returns options that replace the sources of this machine by the backports of its release. */
function backportsArguments(folder: string): string[] {
  const format = ['--format', '$(SITE) $(RELEASE) $(COMPONENT)', 'Created-By: Packages'];
  const sources = run('apt-get', ['indextargets', ...format], folder);
  const file = join(folder, 'backports.list');
  writeFileSync(file, buildBackports(sources, readFileSync('/etc/os-release', 'utf8')));
  return ['-o', `Dir::Etc::SourceList=${file}`, '-o', 'Dir::Etc::SourceParts=/dev/null'];
}

/**
 * Builds the list of sources for the backports of a release. `sources` has a line with the site, the release and the
 * component of each source of the machine.
 */
export function buildBackports(sources: string, osRelease: string): string {
  const [, codename = ''] = /^VERSION_CODENAME=(\w+)$/m.exec(osRelease) ?? [];
  const lines = sources
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, release]) => release === codename)
    .map(([site = '', , component = '']) => `deb ${site} ${codename}-backports ${component}\n`);
  return [...new Set(lines)].join('');
}

function run(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, { cwd, stdio: 'pipe', encoding: 'utf8' });
  } catch (error) {
    throw new Error(`${messageOf(error)}\nBuild on Debian or Ubuntu, or use images/Dockerfile`, { cause: error });
  }
}
