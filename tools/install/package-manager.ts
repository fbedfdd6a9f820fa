import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Package managers in order of preference, with the suffix of their scripts. */
const MANAGERS = {
  'apt-get': { ending: 'apt', needsRoot: true },
  dnf: { ending: 'dnf', needsRoot: true },
  apk: { ending: 'apk', needsRoot: true },
  brew: { ending: 'brew', needsRoot: false },
} as const;

export type PackageManager = keyof typeof MANAGERS;

/** Software that every supported package manager provides. */
export interface SystemPackage {
  /** Prefix of the scripts in this folder, such as `NAME-apt.sh`. */
  name: string;
  /** Name for messages. */
  title: string;
  /** Description of the requirement, as a sentence without its period. */
  need: string;
  /** Command that installs it manually, by package manager. */
  byHand: Readonly<Record<PackageManager, string>>;
}

/** Properties of the machine that decide how to install. */
export interface Machine {
  manager: PackageManager | undefined;
  isRoot: boolean;
  /** True if `sudo` exists and either needs no password or has a terminal to ask for it. */
  canSudo: boolean;
}

export type InstallPlan = { script: string; sudo: boolean } | { problem: string };

/** Decides how to install a package, or returns what the user has to do. */
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

/** Returns the first package manager on PATH. */
export function findManager(path: string | undefined): PackageManager | undefined {
  return (Object.keys(MANAGERS) as PackageManager[]).find((name) => findOnPath(name, path) !== undefined);
}

/**
 * Finds a program on PATH or in the folders of system programs, which may be missing from the PATH of a normal user.
 */
export function findOnPath(name: string, path: string | undefined): string | undefined {
  const folders = [...(path ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin'];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}
