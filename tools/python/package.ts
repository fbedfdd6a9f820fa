import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../checks/command.ts';
import type { PythonEnvironment } from '../install/python.ts';
import { logProgress, root } from '../launch/terminal.mjs';

/** Folder of the Python package. */
export const PACKAGE_FOLDER = join(root, 'clients/python');

/** Runs a program of the environment in the folder of the package. Returns its exit status. */
export async function runPython({ python }: PythonEnvironment, args: readonly string[]): Promise<number> {
  return runCommand(python, args, logProgress, { cwd: PACKAGE_FOLDER });
}

/**
 * Builds the wheel and installs it into an empty virtual environment, as a user would. Calls `use` with the Python of
 * that environment, and removes everything afterwards.
 */
export async function withInstalledWheel<T>(
  environment: PythonEnvironment,
  use: (python: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-python-'));
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
  const run = async (...args: string[]) => {
    const status = await runPython(environment, args);
    if (status !== 0) throw new Error(`python ${args.join(' ')} failed: see its message above`);
  };
  try {
    const [dist, target] = [join(folder, 'dist'), join(folder, 'venv')];
    await run(...pip, 'wheel', '--no-deps', '--no-build-isolation', '-w', dist, PACKAGE_FOLDER);
    const [wheel = ''] = readdirSync(dist);
    // pip of the present environment installs into the new one, which then contains nothing but the package.
    await run('-m', 'venv', '--without-pip', target);
    const offline = ['--no-index', '--find-links', environment.wheels];
    await run(...pip, '--python', target, 'install', ...offline, join(dist, wheel));
    return await use(join(target, 'bin/python'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
