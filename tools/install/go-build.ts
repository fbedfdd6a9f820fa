import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { logProgress } from '../launch/terminal.mjs';
import { findOnPath } from './system-package.ts';
import { askVersion, isAtLeast } from './version.ts';
import type { Version } from './version.ts';

/** Prefix of the folders of unfinished builds. */
const UNFINISHED = 'unfinished-';
const PROGRESS_MS = 20_000;
const TAIL_LINES = 40;
/** From this version on, Go downloads a newer version of itself if a module needs it. */
const OLDEST_GO: Version = [1, 21, 0];
/** Folder to which Go's own installer writes the command `go`. The PATH may lack this folder. */
const USUAL_FOLDER = '/usr/local/go/bin';

/** Finds Go. Throws an error with instructions for the user if it is missing or too old. */
export function findGo(purpose: string, path = `${process.env.PATH ?? ''}:${USUAL_FOLDER}`): string {
  const go = findOnPath('go', path);
  // With this setting Go prints its own version and not the one that it would download.
  const version = go === undefined ? undefined : askVersion(go, ['version'], { ...process.env, GOTOOLCHAIN: 'local' });
  if (go !== undefined && version !== undefined && isAtLeast(version, OLDEST_GO)) return go;
  const problem = version === undefined ? 'Go is missing' : `Go ${version.join('.')} is too old`;
  throw new Error(
    `${purpose}, but ${problem}. Install Go ${OLDEST_GO[0]}.${OLDEST_GO[1]} or newer (https://go.dev/dl)`,
  );
}

/** Environment in which Go builds static programs without a C compiler, with the Go version that the module needs. */
export const GO_ENVIRONMENT = { CGO_ENABLED: '0', GOWORK: 'off', GOTOOLCHAIN: 'auto' };

/** Programs to build from one module. */
export interface GoBuild {
  /** Folder of the go.mod. */
  folder: string;
  /** Go packages to build, by program name. */
  packages: Readonly<Record<string, string>>;
  ldflags: readonly string[];
  /** Folder for the finished programs. */
  target: string;
  /** Environment variables that make Go build for another platform. */
  env?: Readonly<Record<string, string>>;
}

/** Returns the arguments that build programs into a folder, with exactly the versions that go.mod and go.sum pin. */
export function buildArguments({ packages, ldflags }: Pick<GoBuild, 'packages' | 'ldflags'>, into: string): string[] {
  const flags = ['-mod=readonly', '-trimpath', '-buildvcs=false', '-v', `-ldflags=${['-s -w', ...ldflags].join(' ')}`];
  return ['build', ...flags, '-o', `${into}/`, ...Object.values(packages)];
}

/** Builds programs. Each appears in the target completely or not at all. The caller must hold a lock of the target. */
export async function buildPrograms(go: string, build: GoBuild): Promise<void> {
  const { target, packages } = build;
  mkdirSync(target, { recursive: true });
  // Killed builds may have left their folders behind.
  for (const name of readdirSync(target).filter((entry) => entry.startsWith(UNFINISHED))) {
    rmSync(join(target, name), { recursive: true, force: true });
  }
  const unfinished = mkdtempSync(join(target, UNFINISHED));
  try {
    await compile(go, build, unfinished);
    for (const name of Object.keys(packages)) renameSync(join(unfinished, name), join(target, name));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function compile(go: string, build: GoBuild, into: string): Promise<void> {
  const names = Object.keys(build.packages).join(', ');
  const child = spawn(go, buildArguments(build, into), {
    cwd: build.folder,
    env: { ...process.env, ...GO_ENVIRONMENT, ...build.env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  const startedAt = performance.now();
  const minutes = () => ((performance.now() - startedAt) / 60_000).toFixed(1);
  const tail: string[] = [];
  let packages = 0;
  createInterface({ input: child.stderr }).on('line', (line) => {
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
    // With -v, Go prints a line for each package that it compiles. This line contains only the path of the package.
    if (!/\s/.test(line)) packages += 1;
  });
  const timer = setInterval(() => logProgress(`${names}: ${packages} packages after ${minutes()} min`), PROGRESS_MS);
  const problem = await new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `go ended with ${code ?? signal ?? ''}`));
  });
  clearInterval(timer);
  process.removeListener('exit', kill);
  if (problem !== undefined) {
    process.stderr.write(`${tail.join('\n')}\n`);
    throw new Error(`${names} could not be built (${problem}). Correct what the messages above report and try again`);
  }
  logProgress(`${names}: built in ${minutes()} min`);
}
