import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withLock } from '../launch/lock.mjs';
import { cacheFolder } from '../launch/node.mjs';
import { logProgress } from '../launch/terminal.mjs';

/**
 * Package managers in order of preference. `command` installs packages, and `manual` is the command to show to users.
 */
const MANAGERS = {
  'apt-get': { command: ['sh', join(import.meta.dirname, 'apt.sh')], manual: 'apt-get install', needsRoot: true },
  dnf: { command: ['dnf', 'install', '-y', '-q'], manual: 'dnf install', needsRoot: true },
  apk: { command: ['apk', 'add', '--no-cache', '--quiet'], manual: 'apk add', needsRoot: true },
  brew: { command: ['brew', 'install', '--quiet'], manual: 'brew install', needsRoot: false },
} as const;

export type PackageManager = keyof typeof MANAGERS;

/** Software that the package manager of the system can install. */
export interface SystemPackage<Found> {
  /** Name for messages. */
  title: string;
  /** Requirement, for example "etcd 3.4 or newer". */
  need: string;
  /**
   * Alternatives for each package manager, in the order in which they are tried. An alternative is a list of packages,
   * separated by spaces (apt.sh describes the format for apt-get). The next one is tried if the one before it is not
   * available or too old. Package managers that are not listed cannot install the software.
   */
  packages: Partial<Readonly<Record<PackageManager, readonly string[]>>>;
  /** Finds the software without installing it. */
  find: () => Found | undefined;
}

/** Properties of the machine that decide how to install. */
export interface Machine {
  manager: PackageManager | undefined;
  isRoot: boolean;
  /** True if `sudo` exists and either needs no password or has a terminal to ask for it. */
  canSudo: boolean;
}

/** Returns the commands to try until the software is found. Throws an error with instructions if there are none. */
export function planInstall(wanted: SystemPackage<unknown>, { manager, isRoot, canSudo }: Machine): string[][] {
  const missing = `${wanted.need} is missing`;
  if (manager === undefined) {
    throw new Error(`${missing}, and there is no ${Object.keys(MANAGERS).join(', ')}. Install it and put it on PATH`);
  }
  const { command, manual, needsRoot } = MANAGERS[manager];
  const choices = wanted.packages[manager];
  if (choices === undefined) throw new Error(`${missing}, and ${manager} does not have it. Use a Linux machine`);
  const [first = ''] = choices;
  const sudo = needsRoot && !isRoot;
  if (sudo && !canSudo) {
    const byHand = `${manual} ${first.replace(/=\S+/g, '')}`;
    throw new Error(`${missing}, and only root can install it. Run this as root, then try again: ${byHand}`);
  }
  return choices.map((packages) => [...(sudo ? ['sudo'] : []), ...command, ...packages.split(' ')]);
}

/** Returns software of the system. Installs it with the package manager if it is missing. */
export async function ensureInstalled<Found>(wanted: SystemPackage<Found>): Promise<Found> {
  const present = wanted.find();
  if (present !== undefined) return present;
  const isRoot = process.getuid?.() === 0;
  const manager = findManager(process.env.PATH);
  const commands = planInstall(wanted, { manager, isRoot, canSudo: !isRoot && canSudo() });
  // Package managers refuse to run twice at the same time. Another process may have installed the software meanwhile.
  const lock = join(cacheFolder(), 'system-packages.lock');
  return withLock(lock, 'waiting for another command that is installing packages', () => {
    let output = '';
    for (const [command = '', ...args] of commands) {
      const found = wanted.find();
      if (found !== undefined) return found;
      logProgress(`installing ${wanted.title} with ${manager ?? ''}${command === 'sudo' ? ' (sudo)' : ''}`);
      const { stdout, stderr } = spawnSync(command, args, { stdio: ['inherit', 'pipe', 'pipe'], encoding: 'utf8' });
      output += `${stdout}${stderr}`;
    }
    const found = wanted.find();
    if (found !== undefined) return found;
    process.stderr.write(output);
    throw new Error(
      `${manager ?? ''} did not install ${wanted.need}. Install it yourself, put it on PATH and try again`,
    );
  });
}

function canSudo(): boolean {
  if (findOnPath('sudo') === undefined) return false;
  return process.stdin.isTTY || spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0;
}

/** Returns the preferred one of the package managers that are on PATH. */
export function findManager(path: string | undefined): PackageManager | undefined {
  return (Object.keys(MANAGERS) as PackageManager[]).find((name) => findOnPath(name, path) !== undefined);
}

/** Finds a program on PATH or in the folders of system programs, which the PATH of a normal user may lack. */
export function findOnPath(name: string, path = process.env.PATH): string | undefined {
  const folders = [...(path ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin'];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}
