import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

const OLDEST = 20;

/** Returns the paths of the Node that runs the tests and of one Node on PATH for each other supported version. */
export function findNodes(): string[] {
  const found = new Map([[process.version, process.execPath]]);
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const node = join(folder, 'node');
    const version = versionOf(node);
    if (Number(/^v(\d+)\./.exec(version)?.[1] ?? 0) >= OLDEST && !found.has(version)) found.set(version, node);
  }
  return [...found.values()];
}

function versionOf(node: string): string {
  try {
    return execFileSync(node, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
