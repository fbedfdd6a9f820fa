import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Package managers in the order in which they are looked for, and how each installs Redis or Valkey. */
const MANAGERS = {
  'apt-get': { script: 'redis-apt.sh', needsRoot: true, byHand: 'apt-get install redis-server' },
  dnf: { script: 'redis-dnf.sh', needsRoot: true, byHand: 'dnf install valkey' },
  apk: { script: 'redis-apk.sh', needsRoot: true, byHand: 'apk add valkey' },
  brew: { script: 'redis-brew.sh', needsRoot: false, byHand: 'brew install valkey' },
} as const;

export type PackageManager = keyof typeof MANAGERS;

/** What is known of the machine when something has to be installed. */
export interface Machine {
  manager: PackageManager | undefined;
  isRoot: boolean;
  /** `sudo` is there and either asks nothing or has a terminal to ask on. */
  canSudo: boolean;
}

export type InstallPlan = { script: string; sudo: boolean } | { problem: string };

/** Decides how Redis gets installed, or says what the person has to do. */
export function planRedisInstall({ manager, isRoot, canSudo }: Machine): InstallPlan {
  const need = 'redis-server or valkey-server (7 or newer) is needed';
  if (manager === undefined) {
    return { problem: `${need} and none of ${Object.keys(MANAGERS).join(', ')} is there to get it; put one on PATH` };
  }
  const { script, needsRoot, byHand } = MANAGERS[manager];
  if (!needsRoot || isRoot) return { script, sudo: false };
  if (canSudo) return { script, sudo: true };
  return { problem: `${need} and installing it takes root. Run as root, then start again: ${byHand}` };
}

/** The first package manager on the PATH. */
export function findManager(path: string | undefined): PackageManager | undefined {
  return (Object.keys(MANAGERS) as PackageManager[]).find((name) => findOnPath(name, path) !== undefined);
}

/** Where a program lies: the PATH first, then the folders of system programs, which a plain user's PATH may lack. */
export function findOnPath(name: string, path: string | undefined): string | undefined {
  const folders = [...(path ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin'];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}
