import { join } from 'node:path';
import { BUILD_STEPS } from '../launch/build.mjs';
import { logProgress, root } from '../launch/terminal.mjs';
import { runCommand } from './command.ts';

function program(path: string): string {
  return join(root, 'node_modules', path);
}

async function runScript(path: string, args: readonly string[]): Promise<number> {
  return runCommand(process.execPath, [program(path), ...args]);
}

/** Runs the same build as the launcher (tools/run.mjs). */
export async function build(): Promise<number> {
  for (const [path = '', ...args] of BUILD_STEPS) {
    const status = await runCommand(process.execPath, [join(root, path), ...args], logProgress, { cwd: root });
    if (status !== 0) return status;
  }
  return 0;
}

/**
 * Checks the types of all sources, tests and tools, and of the scripts that browsers load. The compiler runs in one
 * thread. This takes half of the processor time of several threads, and tests use the other cores.
 */
export async function checkTypes(): Promise<number> {
  for (const project of ['tsconfig.check.json', 'tsconfig.page.json', 'console/web/tsconfig.json']) {
    const status = await runScript('typescript-7/bin/tsc', [
      '--noEmit',
      '--singleThreaded',
      '--project',
      join(root, project),
    ]);
    if (status !== 0) return status;
  }
  return 0;
}

/** Runs oxlint on all TypeScript, and ESLint on Markdown and scripts. */
export async function lint(args: readonly string[] = []): Promise<number> {
  const typed = await runScript('oxlint/bin/oxlint', [...args, root]);
  const others = await runScript('eslint/bin/eslint.js', ['--max-warnings=0', ...args, root]);
  return Math.max(typed, others);
}

/** Runs oxfmt on the whole repository. It formats like Prettier, in a fiftieth of the processor time. */
export async function format(mode: '--check' | '--write'): Promise<number> {
  return runScript('oxfmt/bin/oxfmt', [mode, root]);
}
