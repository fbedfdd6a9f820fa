import { existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * npm's record of the installed packages. The launcher installs nothing while this record agrees with
 * package-lock.json.
 */
const RECORD = 'node_modules/.package-lock.json';

/**
 * Links the npm packages of one checkout into another. Returns false if their lockfiles differ. Workspaces are not
 * shared, because each checkout has links to its own.
 */
export function sharePackages(from: string, to: string): boolean {
  const lockfile = readFileSync(join(from, 'package-lock.json'), 'utf8');
  if (readFileSync(join(to, 'package-lock.json'), 'utf8') !== lockfile) return false;
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, { link?: boolean }> };
  for (const [path, { link }] of Object.entries(packages)) {
    const present = join(from, path);
    // A nested package comes with the package that contains it. Packages for other platforms are not installed.
    if (path.split('node_modules/').length !== 2 || !existsSync(present)) continue;
    createLink(link === true ? readlinkSync(present) : present, join(to, path));
  }
  createLink(join(from, RECORD), join(to, RECORD));
  return true;
}

function createLink(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
