import { parseE2eArguments } from './arguments.ts';

test('parseE2eArguments uses a new cluster, all tests and no registry by default', () => {
  expect(parseE2eArguments([])).toEqual({ without: [], keep: false, patterns: [] });
});

test('parseE2eArguments reads the cluster, how images get there, and the tests to run', () => {
  expect(parseE2eArguments(['--kubeconfig', 'f', '--registry', 'r', '--without', 'drain', 'scaling'])).toEqual({
    kubeconfig: 'f',
    registry: 'r',
    without: ['drain'],
    keep: false,
    patterns: ['scaling'],
  });
  expect(parseE2eArguments(['--kubeconfig', 'f', '--load', 'kind load'])).toMatchObject({ loadCommand: 'kind load' });
  expect(parseE2eArguments(['--help'])).toBeUndefined();
});

test('parseE2eArguments rejects --registry together with --load, and each of them without --kubeconfig', () => {
  expect(() => parseE2eArguments(['--kubeconfig', 'f', '--registry', 'r', '--load', 'l'])).toThrow('either');
  expect(() => parseE2eArguments(['--registry', 'r'])).toThrow('need --kubeconfig');
});
