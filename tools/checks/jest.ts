import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { runCommand } from './command.ts';
import type { Tally } from './step.ts';

/** The part of jest's JSON result that counts. */
export interface JestResult {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  /** Files that could not even be loaded: no test of theirs is in the other numbers. */
  numRuntimeErrorTestSuites: number;
}

/** Command and arguments that run jest on native ES modules. */
export function jestCommand(args: readonly string[]): [string, string[]] {
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  // As options of the process and not in NODE_OPTIONS, which every program that a test starts would inherit.
  return [process.execPath, ['--experimental-vm-modules', '--no-warnings', jest, ...args]];
}

/** Runs jest and counts its tests. */
export async function runJest(args: readonly string[]): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-jest-'));
  const file = join(folder, 'result.json');
  try {
    const status = await runCommand(...jestCommand(['--json', `--outputFile=${file}`, ...args]));
    return tallyOf(readResult(file), status);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts what jest found. A run that failed without any failed test (a crash, no test at all) is one failure. */
export function tallyOf(result: JestResult | undefined, status: number): Tally {
  if (result === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return {
    passed: result.numPassedTests,
    failed: status === 0 ? failed : Math.max(1, failed),
    skipped: result.numPendingTests + result.numTodoTests,
  };
}

function readResult(file: string): JestResult | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as JestResult;
  } catch {
    return undefined;
  }
}
