import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { runCommand } from './command.ts';
import type { Tally } from './step.ts';

/** The counts in jest's JSON result. */
export interface JestResult {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  /** Files that could not be loaded. The other counts do not include their tests. */
  numRuntimeErrorTestSuites: number;
}

/** Returns the program and the arguments that run jest. */
export function jestCommand(args: readonly string[]): [string, string[]] {
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  // `--no-warnings` is an argument and not part of NODE_OPTIONS, which programs that a test starts would inherit.
  return [process.execPath, ['--no-warnings', jest, ...args]];
}

/** Runs jest once and counts its tests. A failed test is never run again. */
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

/** Counts tests by outcome. A run that fails without a failed test, for example by a crash, counts as one failure. */
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
