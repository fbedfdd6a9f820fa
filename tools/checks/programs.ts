import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { runCommand } from './command.ts';

function program(path: string): string {
  return join(root, 'node_modules', path);
}

async function runScript(path: string, args: readonly string[]): Promise<number> {
  return runCommand(process.execPath, [program(path), ...args]);
}

/** Compiles every workspace. */
export async function build(): Promise<number> {
  return runScript('typescript/bin/tsc', ['--build', root]);
}

/** Checks the types of everything, tests and tools included. */
export async function checkTypes(): Promise<number> {
  return runScript('typescript/bin/tsc', ['--noEmit', '--project', join(root, 'tsconfig.check.json')]);
}

/** ESLint over the whole repository. */
export async function lint(args: readonly string[] = []): Promise<number> {
  return runScript('eslint/bin/eslint.js', ['--max-warnings=0', ...args, root]);
}

/** Prettier over the whole repository: `--check` or `--write`. Files that are as they were when it last ran are kept. */
export async function format(mode: '--check' | '--write'): Promise<number> {
  return runScript('prettier/bin/prettier.cjs', [mode, '--cache', '--log-level=warn', root]);
}
