import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root, say } from '../launch/terminal.mjs';
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
  testResults: readonly { name: string; status: string }[];
}

/** Command and arguments that run jest on native ES modules. */
export function jestCommand(args: readonly string[]): [string, string[]] {
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  // As options of the process and not in NODE_OPTIONS, which every program that a test starts would inherit.
  return [process.execPath, ['--experimental-vm-modules', '--no-warnings', jest, ...args]];
}

/**
 * Runs jest and counts its tests. Files that fail run once more, alone: on a machine that other work keeps busy a clock
 * may run out, and whoever reads the verdict must learn of what is broken, not of that. What passes only then is named.
 */
export async function runJest(args: readonly string[], tell = say): Promise<Tally> {
  const first = await runOnce(args);
  const failed = failedFiles(first.result);
  if (failed.length === 0 || failed.length > MOST_FILES_AGAIN) return tallyOf(first.result, first.status);
  const names = failed.map((file) => relative(root, file)).join(', ');
  tell(`once more, alone: ${names}`);
  const again = await runOnce(['--runInBand', '--runTestsByPath', ...failed]);
  if (again.status === 0) tell(`passed only the second time: ${names}`);
  return replaceFailed(first.result, again);
}

/** So many files do not fail by chance. */
const MOST_FILES_AGAIN = 3;

interface Run {
  result: JestResult | undefined;
  status: number;
}

/** Runs jest and counts its tests, where files stand on each other and none can run again. */
export async function runJestOnce(args: readonly string[]): Promise<Tally> {
  const { result, status } = await runOnce(args);
  return tallyOf(result, status);
}

async function runOnce(args: readonly string[]): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-jest-'));
  const file = join(folder, 'result.json');
  try {
    const status = await runCommand(...jestCommand(['--json', `--outputFile=${file}`, ...args]));
    return { status, result: readResult(file) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files of a run that have a failed test, or could not be loaded. */
export function failedFiles(result: JestResult | undefined): string[] {
  return (result?.testResults ?? []).filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** The tally of a first run in which the failed tests are replaced by what the second run of their files found. */
export function replaceFailed(first: JestResult | undefined, again: Run): Tally {
  const second = tallyOf(again.result, again.status);
  const rest = tallyOf(first, 1);
  return second.failed === 0
    ? { ...rest, passed: rest.passed + rest.failed, failed: 0 }
    : { ...rest, failed: second.failed };
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
