import { spawnSync } from 'node:child_process';

/** Major, minor and patch version. */
export type Version = readonly [number, number, number];

/** Returns the first version number in a text, or undefined if it has none. */
export function parseVersion(text: string): Version | undefined {
  const found = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  if (found === null) return undefined;
  return [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
}

/** Returns whether a version is the given one or newer. */
export function isAtLeast(version: Version, oldest: Version): boolean {
  for (const [at, number] of version.entries()) {
    const least = oldest[at] ?? 0;
    if (number !== least) return number > least;
  }
  return true;
}

/** Runs a program to get its version. Returns undefined if it fails. */
export function askVersion(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Version | undefined {
  const { status, stdout } = spawnSync(path, args, {
    env,
    // Go reads the go.mod of its working folder, which may require another version.
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: 30_000,
  });
  return status === 0 ? parseVersion(stdout) : undefined;
}
