import type { Account } from '@svc-asr/ledger';
import { findProblem } from './checker.ts';

const account: Account = {
  tenant: 't',
  displayName: 't',
  state: 'Active',
  models: ['*'],
  limits: { concurrentSessions: 1, sessionsPerMinute: 1, requestsPerMinute: 1 },
  priority: 'normal',
  liveSessions: 1,
  limitedCorrections: [],
  grantedMs: 100,
  availableMs: 60,
  reservedMs: 30,
  consumedMs: 10,
};

test('findProblem accepts an account whose amounts add up and which has consumed more than before', () => {
  expect(findProblem(undefined, account)).toBeUndefined();
  expect(findProblem({ ...account, consumedMs: 5, availableMs: 65 }, account)).toBeUndefined();
});

test.each([
  ['does not add up', { availableMs: 61 }],
  ['has a negative amount', { availableMs: 100, reservedMs: -10 }],
  ['had other grants (100 ms)', { grantedMs: 101, availableMs: 61 }],
])('findProblem reports an account that %s', (problem, changes) => {
  expect(findProblem(account, { ...account, ...changes })).toBe(problem);
});

test('findProblem reports a missing account only if an earlier read returned the account', () => {
  expect(findProblem(undefined, undefined)).toBeUndefined();
  expect(findProblem(account, undefined)).toBe('has lost its account');
});
