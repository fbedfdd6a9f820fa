import { spawnSync } from 'node:child_process';

/** The numbers of a version: major, minor, patch. */
export type Version = readonly [number, number, number];

/** The first version in what a program says of itself; undefined where there is none. */
export function parseVersion(text: string): Version | undefined {
  const found = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  if (found === null) return undefined;
  return [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
}

/** Whether a version is the given one or newer. */
export function isAtLeast(version: Version, oldest: Version): boolean {
  for (const [at, number] of version.entries()) {
    const least = oldest[at] ?? 0;
    if (number !== least) return number > least;
  }
  return true;
}

/** Whether two versions differ in nothing but fixes. */
export function isSameMinor(version: Version, other: Version): boolean {
  return version[0] === other[0] && version[1] === other[1];
}

/** Whether two versions are at most one minor version apart: what kubectl and a server may be. */
export function isWithinOneMinor(version: Version, other: Version): boolean {
  return version[0] === other[0] && Math.abs(version[1] - other[1]) <= 1;
}

/** Asks a program for its version; undefined when it does not run. */
export function askVersion(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Version | undefined {
  const { status, stdout } = spawnSync(path, args, {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: 30_000,
  });
  return status === 0 ? parseVersion(stdout) : undefined;
}
