import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Package managers in the order in which they are looked for, and the ending of the scripts that use each. */
const MANAGERS = {
  'apt-get': { ending: 'apt', needsRoot: true },
  dnf: { ending: 'dnf', needsRoot: true },
  apk: { ending: 'apk', needsRoot: true },
  brew: { ending: 'brew', needsRoot: false },
} as const;

export type PackageManager = keyof typeof MANAGERS;

/** Something that every package manager carries. */
export interface SystemPackage {
  /** The scripts beside this file are `NAME-apt.sh` and so on. */
  name: string;
  /** How it is called in front of people. */
  title: string;
  /** A sentence without its end: what is needed. */
  need: string;
  /** The command that installs it by hand. */
  byHand: Readonly<Record<PackageManager, string>>;
}

/** What is known of the machine when something has to be installed. */
export interface Machine {
  manager: PackageManager | undefined;
  isRoot: boolean;
  /** `sudo` is there and either asks nothing or has a terminal to ask on. */
  canSudo: boolean;
}

export type InstallPlan = { script: string; sudo: boolean } | { problem: string };

/** Decides how a package gets installed, or says what the person has to do. */
export function planInstall({ name, need, byHand }: SystemPackage, machine: Machine): InstallPlan {
  const { manager, isRoot, canSudo } = machine;
  if (manager === undefined) {
    return { problem: `${need} and none of ${Object.keys(MANAGERS).join(', ')} is there to get it; put one on PATH` };
  }
  const { ending, needsRoot } = MANAGERS[manager];
  const script = `${name}-${ending}.sh`;
  if (!needsRoot || isRoot) return { script, sudo: false };
  if (canSudo) return { script, sudo: true };
  return { problem: `${need} and installing it takes root. Run as root, then start again: ${byHand[manager]}` };
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
