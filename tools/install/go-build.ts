import { spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { say } from '../launch/terminal.mjs';
import type { GoCommand } from './go-command.ts';
import { InstallError } from './install-error.ts';

/** Prefix of the folders of unfinished builds. */
export const DRAFT = 'draft-';
const PROGRESS_MS = 20_000;
const TAIL_LINES = 40;

/** Programs to build from one module. */
export interface GoBuild {
  /** Folder of the go.mod. */
  folder: string;
  /** Packages, by the name of their program. */
  packages: Readonly<Record<string, string>>;
  ldflags: readonly string[];
  /** Folder for the finished programs. */
  target: string;
}

/** Returns the arguments that build programs into a folder, with exactly the versions that go.mod and go.sum pin. */
export function buildArguments({ packages, ldflags }: Pick<GoBuild, 'packages' | 'ldflags'>, into: string): string[] {
  const flags = [
    '-mod=readonly',
    '-trimpath',
    '-buildvcs=false',
    '-v',
    `-ldflags=${['-s', '-w', ...ldflags].join(' ')}`,
  ];
  return ['build', ...flags, '-o', `${into}/`, ...Object.values(packages)];
}

/** Builds programs. Each appears in the target completely or not at all. */
export async function buildPrograms(go: GoCommand, build: GoBuild): Promise<void> {
  const draft = mkdtempSync(join(build.target, DRAFT));
  const names = Object.keys(build.packages);
  const discard = () => rmSync(draft, { recursive: true, force: true });
  process.once('exit', discard);
  try {
    await compile(go, build, draft);
    for (const name of names) renameSync(join(draft, name), join(build.target, name));
  } finally {
    process.removeListener('exit', discard);
    discard();
  }
}

async function compile(go: GoCommand, build: GoBuild, draft: string): Promise<void> {
  const names = Object.keys(build.packages).join(', ');
  const child = spawn(go.path, buildArguments(build, draft), {
    cwd: build.folder,
    env: { ...process.env, ...go.env },
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
    // With -v, Go prints the path of each package that it compiles on its own line.
    if (!/\s/.test(line)) packages += 1;
  });
  const timer = setInterval(() => say(`${names}: ${packages} packages after ${minutes()} min`), PROGRESS_MS);
  const problem = await new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `go ended with ${code ?? signal ?? ''}`));
  });
  clearInterval(timer);
  process.removeListener('exit', kill);
  if (problem !== undefined) {
    process.stderr.write(`${tail.join('\n')}\n`);
    throw new InstallError(`building ${names} failed (${problem}): see the messages above, put it right and run again`);
  }
  say(`${names}: built in ${minutes()} min`);
}
