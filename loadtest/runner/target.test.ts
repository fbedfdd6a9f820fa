import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOptions } from '../lib/options.ts';
import { buildServiceEnvironment } from './temporary-service.ts';
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

test('findTarget returns the service that npm start runs', () => {
  writeLocal(process.pid);
  expect(find({})).toEqual({
    baseUrl: 'https://localhost:1',
    adminUrl: 'http://127.0.0.1:2',
    adminToken: 't',
    caFile: '/ca',
    adminCaFile: '',
    operatorUrl: 'http://127.0.0.1:3',
  });
});

test.each([
  ['was stopped', undefined],
  ['crashed', 2 ** 30],
])('findTarget returns undefined if the service of npm start %s', (_name, pid) => {
  writeLocal(pid);
  expect(find({})).toBeUndefined();
});

test('findTarget returns the service at BASE_URL, with the token from ADMIN_TOKEN_FILE', () => {
  const file = join(home, 'token');
  writeFileSync(file, 'secret\n');
  const urls = { BASE_URL: 'https://asr.example/', ADMIN_URL: 'https://console:9443' };
  const env = { ...urls, ADMIN_TOKEN_FILE: file, CA_FILE: 'ca.crt', ADMIN_CA_FILE: 'admin.crt' };
  const named = { baseUrl: 'https://asr.example', adminToken: 'secret', caFile: 'ca.crt', adminCaFile: 'admin.crt' };
  expect(find(env)).toMatchObject({ ...named, operatorUrl: '' });
  expect(find({ ...env, OPERATOR_URL: 'http://op:9090/' })).toMatchObject({ ...named, operatorUrl: 'http://op:9090' });
});

test('findTarget names the options that are required together with BASE_URL', () => {
  expect(() => find({ BASE_URL: 'https://asr.example' })).toThrow('set ADMIN_URL and ADMIN_TOKEN');
});

test('buildServiceEnvironment removes options of the load test, and settings that would share state with another service', () => {
  const env = buildServiceEnvironment(
    { REDIS_URL: 'redis://theirs', MODEL: 'm', ADMIN_TOKEN_FILE: 'x', LOG_LEVEL: 'debug' },
    '/home',
  );
  expect(env).toEqual({ LOG_LEVEL: 'debug', SVC_ASR_HOME: '/home', PORT: '0', HOST: '127.0.0.1', CONSOLE_PORT: '0' });
});
