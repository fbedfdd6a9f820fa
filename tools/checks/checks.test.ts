import { runCommand } from './command.ts';
import { tallyOf } from './jest.ts';
import { addUp, oneFrom, runStep, verdict } from './step.ts';
import { style } from './style.ts';

const jest = {
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
};

test.each([
  ['every test passes', jest, 0, { passed: 5, failed: 0, skipped: 0 }],
  ['tests fail', { ...jest, numFailedTests: 2 }, 1, { passed: 5, failed: 2, skipped: 0 }],
  ['a test file cannot be loaded', { ...jest, numRuntimeErrorTestSuites: 1 }, 1, { passed: 5, failed: 1, skipped: 0 }],
  ['jest exits with 1 although no test fails', jest, 1, { passed: 5, failed: 1, skipped: 0 }],
  ['jest crashes and writes no result', undefined, 134, { passed: 0, failed: 1, skipped: 0 }],
  ['tests are skipped', { ...jest, numPendingTests: 1, numTodoTests: 1 }, 0, { passed: 5, failed: 0, skipped: 2 }],
])('tallyOf counts tests by outcome when %s', (_when, result, status, tally) => {
  expect(tallyOf(result, status)).toEqual(tally);
});

test('verdict() mentions skipped tests only if there are any', () => {
  expect(verdict({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
  expect(verdict({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
});

test('runStep reports a step that throws and counts it as one failure', async () => {
  const lines: string[] = [];
  const tally = await runStep(
    'types',
    () => Promise.reject(new Error('no compiler')),
    (line) => lines.push(line),
  );
  expect(tally).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(lines).toEqual(['types …', 'no compiler', expect.stringMatching(/^types: FAILED \(\d+\.\d s\)$/)]);
});

test('addUp sums the outcomes of all steps', () => {
  expect(addUp([oneFrom(0), oneFrom(2), { passed: 5, failed: 1, skipped: 2 }])).toEqual({
    passed: 6,
    failed: 2,
    skipped: 2,
  });
});

test('runCommand resolves with the exit status of the command, and with 1 if the program does not exist', async () => {
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  await expect(runCommand(process.execPath, ['-e', 'process.exit(5)'], report)).resolves.toBe(5);
  await expect(runCommand('/no/such/program', [], report)).resolves.toBe(1);
  expect(lines).toEqual([expect.stringContaining('ENOENT')]);
});

/** Builds the syntax node of an object literal with these properties. */
const literal = (...properties: object[]) => ({ type: 'ObjectExpression', properties });

test.each([
  ['members', 'PropertyDefinition', { accessibility: 'private' }, 'Use #name'],
  ['members', 'MethodDefinition', { kind: 'method', accessibility: 'public' }, 'Use #name'],
  ['members', 'MethodDefinition', { kind: 'constructor', accessibility: 'private' }, undefined],
  ['members', 'PropertyDefinition', {}, undefined],
  ['spreads', 'ObjectExpression', literal({ type: 'SpreadElement', argument: literal() }), 'List the fields'],
  ['spreads', 'ObjectExpression', literal({ type: 'SpreadElement', argument: { type: 'Identifier' } }), undefined],
  ['type-imports', 'ImportSpecifier', { importKind: 'type' }, 'separate `import type`'],
  ['type-imports', 'ExportSpecifier', { exportKind: 'type' }, 'separate `import type`'],
  ['type-imports', 'ImportSpecifier', { importKind: 'value' }, undefined],
])('the message of the lint rule style/%s for a %s %j is %s', (rule, type, node, message) => {
  const reports: string[] = [];
  const report = ({ message }: { message: string }) => void reports.push(message);
  const { create } = style.rules![rule] as { create: (context: object) => Record<string, (node: object) => void> };
  create({ report })[type]?.(node);
  expect(reports).toEqual(message === undefined ? [] : [expect.stringContaining(message)]);
});
