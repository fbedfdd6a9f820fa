import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOptions } from '../../loadtest/lib/options.ts';
import { ownEnvironment } from './own-service.ts';
import { findTarget } from './target.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-asr-target-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const find = (env: NodeJS.ProcessEnv) => findTarget(createOptions(env, {}), { SVC_ASR_HOME: home, ...env });
const writeLocal = (pid: number | undefined) =>
  writeFileSync(
    join(home, 'local.json'),
    JSON.stringify({
      base_url: 'https://localhost:1',
      admin_url: 'http://127.0.0.1:2',
      admin_token: 't',
      ca_file: '/ca',
      operator_admin_url: 'http://127.0.0.1:3',
      pid,
    }),
  );

test('takes the service that npm start runs', () => {
  writeLocal(process.pid);
  expect(find({})).toEqual({
    baseUrl: 'https://localhost:1',
    adminUrl: 'http://127.0.0.1:2',
    adminToken: 't',
    caFile: '/ca',
    operatorUrl: 'http://127.0.0.1:3',
  });
});

test.each([
  ['was stopped', undefined],
  ['crashed', 2 ** 30],
])('finds none where it %s', (_name, pid) => {
  writeLocal(pid);
  expect(find({})).toBeUndefined();
});

test('takes the service that the environment names, its token from a file if there is one', () => {
  const file = join(home, 'token');
  writeFileSync(file, 'secret\n');
  const env = { BASE_URL: 'https://asr.example/', ADMIN_URL: 'http://console:9090', ADMIN_TOKEN_FILE: file };
  const named = { baseUrl: 'https://asr.example', adminToken: 'secret', caFile: '' };
  expect(find(env)).toMatchObject({ ...named, operatorUrl: '' });
  expect(find({ ...env, OPERATOR_URL: 'http://op:9090/' })).toMatchObject({ ...named, operatorUrl: 'http://op:9090' });
});

test('says what is missing beside BASE_URL', () => {
  expect(() => find({ BASE_URL: 'https://asr.example' })).toThrow('set ADMIN_URL and ADMIN_TOKEN');
});

test('what is set for the load test does not reach a service of its own', () => {
  const env = ownEnvironment(
    { REDIS_URL: 'redis://theirs', MODEL: 'm', ADMIN_TOKEN_FILE: 'x', LOG_LEVEL: 'debug' },
    '/home',
  );
  expect(env).toEqual({ LOG_LEVEL: 'debug', SVC_ASR_HOME: '/home', PORT: '0', HOST: '127.0.0.1', CONSOLE_PORT: '0' });
});
