import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { InstallError } from '../install/install-error.ts';
import { findOnPath } from '../install/package-manager.ts';
import { cacheFolder } from '../launch/node.mjs';
import { say } from '../launch/terminal.mjs';
import { PLATFORMS } from './platform.ts';
import type { Platform } from './platform.ts';

/** Fixes of libraries come out every few weeks; what was fetched is not used for ever. */
const RENEW_AFTER_MS = 7 * 86_400_000;

/** A Debian package that was unpacked. */
export interface DebianPackage {
  name: string;
  version: string;
  /** Its files, by their paths from the root. */
  folder: string;
}

/** Gets packages of Debian (or Ubuntu) for any platform and unpacks them; nothing of it is installed here. */
export function fetchDebianPackages(names: readonly string[], platform: Platform, now = Date.now()): DebianPackage[] {
  const key = createHash('sha256').update(names.join()).digest('hex').slice(0, 12);
  const target = join(cacheFolder(), `debian-${PLATFORMS[platform].debian}-${key}`);
  const isThere = existsSync(target);
  if (!isThere || now - statSync(target).mtimeMs > RENEW_AFTER_MS) {
    try {
      download(names, platform, target);
    } catch (error) {
      if (!isThere) throw error;
      say(`going on with the Debian packages of ${statSync(target).mtime.toISOString()}: ${String(error)}`);
    }
  }
  return readdirSync(target)
    .sort()
    .map((entry) => {
      const [name = '', version = ''] = entry.split('_');
      return { name, version: decodeURIComponent(version), folder: join(target, entry) };
    });
}

function download(names: readonly string[], platform: Platform, target: string): void {
  if (findOnPath('apt-get', process.env.PATH) === undefined) {
    throw new InstallError(
      'the libraries of the images come from Debian packages, and there is no apt-get here: ' +
        'build on Debian or Ubuntu, or use the Dockerfiles in images/',
    );
  }
  say(`getting Debian packages for ${platform}`);
  mkdirSync(cacheFolder(), { recursive: true });
  const draft = mkdtempSync(join(cacheFolder(), 'debian-draft-'));
  try {
    const apt = aptArguments(draft, PLATFORMS[platform].debian);
    mkdirSync(join(draft, 'debs'));
    mkdirSync(join(draft, 'unpacked'));
    run('apt-get', [...apt, '-qq', 'update'], draft);
    run('apt-get', [...apt, '-qq', 'download', ...names], join(draft, 'debs'));
    for (const deb of readdirSync(join(draft, 'debs'))) {
      run('dpkg-deb', ['-x', join(draft, 'debs', deb), join(draft, 'unpacked', deb.replace(/\.deb$/, ''))], draft);
    }
    rmSync(target, { recursive: true, force: true });
    renameSync(join(draft, 'unpacked'), target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Lists and downloads of its own, so that the system's are not touched and the platform need not be this machine's. */
function aptArguments(folder: string, architecture: string): string[] {
  for (const name of ['state/lists/partial', 'cache/archives/partial']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'status'), '');
  const options = {
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': join(folder, 'cache'),
    // The folder is the caller's own, where apt's usual user may not write.
    'APT::Sandbox::User': 'root',
  };
  return Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new InstallError(`${command} failed: ${error?.message ?? stderr.trim()}`);
}
