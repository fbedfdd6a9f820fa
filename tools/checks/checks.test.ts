import { runCommand } from './command.ts';
import { failedFiles, replaceFailed, tallyOf } from './jest.ts';
import { addUp, oneFrom, runStep, verdict } from './step.ts';

const jest = {
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
  testResults: [
    { name: 'good', status: 'passed' },
    { name: 'bad', status: 'failed' },
  ],
};

test.each([
  ['all pass', jest, 0, { passed: 5, failed: 0, skipped: 0 }],
  ['some fail', { ...jest, numFailedTests: 2 }, 1, { passed: 5, failed: 2, skipped: 0 }],
  ['a file does not load', { ...jest, numRuntimeErrorTestSuites: 1 }, 1, { passed: 5, failed: 1, skipped: 0 }],
  ['jest fails though no test does', jest, 1, { passed: 5, failed: 1, skipped: 0 }],
  ['jest dies without a result', undefined, 134, { passed: 0, failed: 1, skipped: 0 }],
  ['some are skipped', { ...jest, numPendingTests: 1, numTodoTests: 1 }, 0, { passed: 5, failed: 0, skipped: 2 }],
])('counts when %s', (_when, result, status, tally) => {
  expect(tallyOf(result, status)).toEqual(tally);
});

test('files that fail run again, and what the second run finds counts', () => {
  const first = { ...jest, numFailedTests: 2 };
  expect(failedFiles(first)).toEqual(['bad']);
  expect(failedFiles(undefined)).toEqual([]);
  expect(replaceFailed(first, { result: { ...jest, numPassedTests: 4 }, status: 0 })).toEqual({
    passed: 7,
    failed: 0,
    skipped: 0,
  });
  expect(replaceFailed(first, { result: { ...jest, numFailedTests: 1 }, status: 1 })).toMatchObject({ failed: 1 });
  expect(replaceFailed(first, { result: undefined, status: 134 })).toMatchObject({ failed: 1 });
});

test('the verdict names skipped tests only when there are some', () => {
  expect(verdict({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
  expect(verdict({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
});

test('steps add up, and a step that throws is one failure that is told', async () => {
  const told: string[] = [];
  const broken = await runStep(
    'types',
    () => Promise.reject(new Error('no compiler')),
    (line) => told.push(line),
  );
  expect(addUp([broken, oneFrom(0), oneFrom(2)])).toEqual({ passed: 1, failed: 2, skipped: 0 });
  expect(told).toEqual(['types …', 'no compiler', expect.stringMatching(/^types: FAILED \(\d+\.\d s\)$/)]);
});

test('a command gives its status, 1 when there is no such program', async () => {
  const told: string[] = [];
  const tell = (line: string) => void told.push(line);
  await expect(runCommand(process.execPath, ['-e', 'process.exit(5)'], tell)).resolves.toBe(5);
  await expect(runCommand('/no/such/program', [], tell)).resolves.toBe(1);
  expect(told).toEqual([expect.stringContaining('ENOENT')]);
});
