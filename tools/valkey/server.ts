import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fetchDebianPackages } from '../images/debian.ts';
import type { DebianPackage } from '../images/debian.ts';
import { platformOf } from '../images/platform.ts';
import { ensureInstalled, findOnPath } from '../install/system-package.ts';
import type { SystemPackage } from '../install/system-package.ts';
import { askVersion, isAtLeast } from '../install/version.ts';
import type { Version } from '../install/version.ts';
import { messageOf } from '../launch/terminal.mjs';

/** A Valkey server and its version. */
export interface Valkey {
  readonly path: string;
  readonly version: string;
}

/** Oldest supported version, which was the first release of Valkey. */
const OLDEST: Version = [7, 2, 0];

const VALKEY: SystemPackage<Valkey> = {
  title: 'Valkey',
  need: 'valkey-server',
  packages: { dnf: ['valkey'], apk: ['valkey'], brew: ['valkey'] },
  find: findValkey,
};

/**
 * Returns a Valkey server, and installs it if it is missing. On Debian and Ubuntu, the package is not installed but
 * unpacked into the cache.
 */
export async function ensureValkey(): Promise<Valkey> {
  const present = findValkey();
  if (present !== undefined) return present;
  return findOnPath('apt-get') === undefined ? ensureInstalled(VALKEY) : unpackValkey();
}

/** Finds a server on PATH. */
export function findValkey(path?: string): Valkey | undefined {
  const server = findOnPath('valkey-server', path);
  return server === undefined ? undefined : check(server);
}

function check(path: string): Valkey | undefined {
  const version = askVersion(path, ['--version']);
  return version !== undefined && isAtLeast(version, OLDEST) ? { path, version: version.join('.') } : undefined;
}

/**
 * Unpacks the package from the repository of this machine's Debian or Ubuntu release. Debian 12 has the package only in
 * its backports.
 */
function unpackValkey(): Valkey {
  const problems: string[] = [];
  for (const isBackported of [false, true]) {
    let packages: readonly DebianPackage[];
    try {
      packages = fetchDebianPackages(['valkey-tools'], platformOf(process.arch), { isBackported });
    } catch (error) {
      problems.push(messageOf(error));
      continue;
    }
    const found = check(linkServer(packages[0]?.folder ?? ''));
    if (found !== undefined) return found;
    problems.push('valkey-server does not start: install the libraries of the package valkey-tools');
  }
  throw new Error(`Valkey is missing. Put valkey-server on PATH and try again\n${problems.join('\n')}`);
}

/**
 * Links the name valkey-server to the unpacked program, and returns the link. One executable file contains all programs
 * of Valkey and chooses one by the name under which it is started.
 */
function linkServer(folder: string): string {
  const server = join(folder, 'usr/bin/valkey-server');
  if (!existsSync(server)) symlinkSync('valkey-check-rdb', server);
  return server;
}
