import { parseE2eArguments } from './arguments.ts';

test('parseE2eArguments uses a new cluster, all tests of the suite e2e and no registry by default', () => {
  expect(parseE2eArguments([])).toEqual({ suite: 'e2e', without: [], keep: false, patterns: [] });
});

test('parseE2eArguments reads the cluster, the way in which images are delivered, and the tests to run', () => {
  expect(
    parseE2eArguments(['--kubeconfig', 'f', '--registry', 'r', '--suite', 'pools', '--without', 'drain', 'tiers']),
  ).toEqual({
    kubeconfig: 'f',
    registry: 'r',
    suite: 'pools',
    without: ['drain'],
    keep: false,
    patterns: ['tiers'],
  });
  expect(parseE2eArguments(['--kubeconfig', 'f', '--load', 'kind load'])).toMatchObject({ loadCommand: 'kind load' });
  expect(parseE2eArguments(['--help'])).toBeUndefined();
});

test('parseE2eArguments rejects --registry together with --load, and each of them without --kubeconfig', () => {
  expect(() => parseE2eArguments(['--kubeconfig', 'f', '--registry', 'r', '--load', 'l'])).toThrow('either');
  expect(() => parseE2eArguments(['--registry', 'r'])).toThrow('need --kubeconfig');
});

test('parseE2eArguments rejects a suite that does not exist', () => {
  expect(() => parseE2eArguments(['--suite', 'pool'])).toThrow('must be one of e2e, pools, redis, not pool');
});
