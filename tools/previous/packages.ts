import { existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readLockfile } from '../images/lockfile.ts';

/** npm's own record of what it installed, by which the launcher knows that nothing has to be installed. */
const RECORD = 'node_modules/.package-lock.json';

/**
 * Lends the npm packages of one checkout to another, where both ask for the same ones. Workspaces are not lent: each
 * checkout has links to its own.
 */
export function lendPackages(from: string, to: string): boolean {
  if (!sameText(from, to, 'package-lock.json')) return false;
  for (const [path, { link }] of Object.entries(readLockfile(from))) {
    const present = join(from, path);
    // What is nested in a package comes with it; what is for other systems is not there.
    if (path.split('node_modules/').length !== 2 || !existsSync(present)) continue;
    makeLink(link === true ? readlinkSync(present) : present, join(to, path));
  }
  makeLink(join(from, RECORD), join(to, RECORD));
  return true;
}

function sameText(one: string, other: string, name: string): boolean {
  return readFileSync(join(one, name), 'utf8') === readFileSync(join(other, name), 'utf8');
}

function makeLink(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
