import { spawnSync } from 'node:child_process';
import { InstallError } from './install-error.ts';
import { findOnPath } from './package-manager.ts';
import { isAtLeast, parseVersion } from './program-version.ts';
import type { Version } from './program-version.ts';

/** From this version on Go gets a newer one of itself, from the module proxy. */
const FIRST_THAT_RENEWS_ITSELF: Version = [1, 21, 0];
/** Where Go's own installer puts it, which is not always on the PATH. */
const USUAL_FOLDER = '/usr/local/go/bin';

/** A Go command, and how it has to be run. */
export interface GoCommand {
  path: string;
  env: Readonly<Record<string, string>>;
}

/** Decides whether and how a Go of some version can build what needs `needed`; a string says why it cannot. */
export function planGo(present: Version | undefined, needed: string): Readonly<Record<string, string>> | string {
  const version = parseVersion(needed) ?? [0, 0, 0];
  const advice = `install Go ${version[0]}.${version[1]} or newer (https://go.dev/dl)`;
  if (present === undefined) return `there is no Go here: ${advice}`;
  if (!isAtLeast(present, version) && !isAtLeast(present, FIRST_THAT_RENEWS_ITSELF)) {
    return `Go ${present.join('.')} is too old: ${advice}`;
  }
  return {
    // One static program without a C compiler, whatever the caller's settings are.
    CGO_ENABLED: '0',
    GOWORK: 'off',
    // Systems that pin their own Go must not keep us from the one that is needed; a fitting one is used as it is.
    GOTOOLCHAIN: isAtLeast(present, version) ? 'local' : 'auto',
  };
}

/** Finds Go; the error says what to do where it cannot build what needs `needed`. */
export function findGo(needed: string, purpose: string): GoCommand {
  const path = findOnPath('go', `${process.env.PATH ?? ''}:${USUAL_FOLDER}`);
  const env = planGo(path === undefined ? undefined : goVersion(path), needed);
  if (path === undefined || typeof env === 'string') {
    throw new InstallError(`${purpose}, and ${typeof env === 'string' ? env : 'there is no Go here'}`);
  }
  return { path, env };
}

function goVersion(path: string): Version | undefined {
  // Local: the version of what is installed, not of what it would get. Outside of a module, which may be too new.
  const env = { ...process.env, GOTOOLCHAIN: 'local' };
  const { stdout } = spawnSync(path, ['version'], { encoding: 'utf8', cwd: '/', env });
  return parseVersion(stdout);
}
