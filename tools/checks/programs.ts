import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { runCommand } from './command.ts';

function program(path: string): string {
  return join(root, 'node_modules', path);
}

async function runScript(path: string, args: readonly string[]): Promise<number> {
  return runCommand(process.execPath, [program(path), ...args]);
}

/** Compiles every workspace and renders the API documents. */
export async function build(): Promise<number> {
  const status = await runScript('typescript/bin/tsc', ['--build', root]);
  return status === 0 ? runCommand(process.execPath, [join(root, 'packages/api-docs/dist/build.js')]) : status;
}

/** Checks the types of all sources, tests and tools, and of the scripts that browsers load. */
export async function checkTypes(): Promise<number> {
  for (const project of ['tsconfig.check.json', 'tsconfig.page.json']) {
    const status = await runScript('typescript/bin/tsc', ['--noEmit', '--project', join(root, project)]);
    if (status !== 0) return status;
  }
  return 0;
}

/** ESLint over the whole repository. */
export async function lint(args: readonly string[] = []): Promise<number> {
  return runScript('eslint/bin/eslint.js', ['--max-warnings=0', ...args, root]);
}

/** Prettier over the whole repository: `--check` or `--write`. Files that are as they were when it last ran are kept. */
export async function format(mode: '--check' | '--write'): Promise<number> {
  return runScript('prettier/bin/prettier.cjs', [mode, '--cache', '--log-level=warn', root]);
}
