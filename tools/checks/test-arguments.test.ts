import suites from '../../test/support/suites.cjs';
import { parseTestArguments, SUITES } from './test-arguments.ts';

test.each([
  [[], { suite: 'packages', jestArgs: [] }],
  [['ledger'], { suite: undefined, jestArgs: ['ledger'] }],
  [['--suite', 'service'], { suite: 'service', jestArgs: [] }],
  [['--suite=kubernetes', '-t', 'name'], { suite: 'kubernetes', jestArgs: ['-t', 'name'] }],
  [['ledger', '--suite', 'all'], { suite: undefined, jestArgs: ['ledger'] }],
])('parseTestArguments of %j returns %j', (args, expected) => {
  expect(parseTestArguments(args)).toEqual(expected);
});

test.each([[['--suite', 'unit']], [['--suite']]])('parseTestArguments of %j throws and lists all suites', (args) => {
  expect(() => parseTestArguments(args)).toThrow(
    'use --suite packages, --suite service, --suite kubernetes or --suite all',
  );
});

test.each([
  ['console/browser/bundle.test.ts', 'kubernetes'],
  ['console/src/cluster.integration.test.ts', 'kubernetes'],
  ['operator/src/cluster.integration.test.ts', 'kubernetes'],
  ['test/stream/billing.integration.test.ts', 'service'],
  ['test/conformance/limits.test.ts', 'service'],
  ['packages/ledger/src/model.integration.test.ts', 'packages'],
  ['test/support/wav.ts', 'packages'],
])('suiteOf assigns %s to the suite %s', (path, suite) => {
  expect(SUITES).toContain(suite);
  expect(suites.suiteOf(`${process.cwd()}/${path}`)).toBe(suite);
});
