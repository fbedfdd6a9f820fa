import { readSettings } from '@svc-asr/runtime';
import { CLUSTER_API_SETTINGS, checkTimes } from './settings.ts';

const check = (env: NodeJS.ProcessEnv) => () => checkTimes(readSettings(CLUSTER_API_SETTINGS, env));

test('checkTimes accepts the defaults', () => {
  expect(check({})).not.toThrow();
});

test.each([
  [{ LEASE_SECONDS: '10', LEASE_RENEW_MS: '10000' }, 'LEASE_RENEW_MS must be less than LEASE_SECONDS'],
  [{ LEASE_RETRY_MS: '5000' }, 'LEASE_RETRY_MS must be less than half of LEASE_RENEW_MS'],
  [{ WATCH_MIN_SECONDS: '700' }, 'WATCH_MIN_SECONDS must not be greater than WATCH_MAX_SECONDS'],
])('checkTimes rejects %j', (env, message) => {
  expect(check(env)).toThrow(message);
});
