import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { adminEndpoint, publicEndpoint } from './endpoint.ts';

const file = {
  base_url: 'https://localhost:8443',
  admin_url: 'http://127.0.0.1:9091',
  ca_file: '/home/ca.pem',
  api_key: 'local-key',
  admin_token: 'local-token',
};

test('publicEndpoint prefers flags to the environment, and the environment to the local file', () => {
  const env = { SVC_ASR_BASE_URL: 'https://env', SVC_ASR_API_KEY: 'env-key', SVC_ASR_CA_FILE: '/env.pem' };
  expect(publicEndpoint({ flags: {}, env: {}, file })).toEqual({
    url: 'https://localhost:8443',
    secret: 'local-key',
    caFile: '/home/ca.pem',
  });
  expect(publicEndpoint({ flags: {}, env, file })).toEqual({
    url: 'https://env',
    secret: 'env-key',
    caFile: '/env.pem',
  });
  expect(publicEndpoint({ flags: { baseUrl: 'https://flag', ca: '/flag.pem' }, env, file })).toEqual({
    url: 'https://flag',
    secret: 'env-key',
    caFile: '/flag.pem',
  });
});

test('secrets of the local file are used only for the address in that file', () => {
  const elsewhere = { flags: { baseUrl: 'https://other', adminUrl: 'https://other' }, env: {}, file };
  expect(publicEndpoint(elsewhere)).toEqual({ url: 'https://other', secret: undefined, caFile: undefined });
  expect(adminEndpoint(elsewhere)).toEqual({ url: 'https://other', secret: undefined, caFile: undefined });
  const same = { flags: { baseUrl: 'https://localhost:8443/' }, env: { SVC_ASR_BASE_URL: '' }, file };
  expect(publicEndpoint(same).secret).toBe('local-key');
});

test('adminEndpoint takes the admin address from local.json, and the token from SVC_ASR_ADMIN_TOKEN', () => {
  expect(adminEndpoint({ flags: {}, env: { SVC_ASR_ADMIN_TOKEN: 't' }, file })).toMatchObject({
    url: 'http://127.0.0.1:9091',
    secret: 't',
  });
});

test('adminEndpoint reads the token from the file SVC_ASR_ADMIN_TOKEN_FILE unless SVC_ASR_ADMIN_TOKEN is set', () => {
  const path = join(temporaryFolder('token'), 'token');
  writeFileSync(path, 'from-file\n');
  const of = (env: Record<string, string>) => adminEndpoint({ flags: {}, env, file }).secret;
  expect(of({ SVC_ASR_ADMIN_TOKEN_FILE: path })).toBe('from-file');
  expect(of({ SVC_ASR_ADMIN_TOKEN_FILE: path, SVC_ASR_ADMIN_TOKEN: 't' })).toBe('t');
  expect(of({ SVC_ASR_ADMIN_TOKEN_FILE: '' })).toBe('local-token');
  expect(() => of({ SVC_ASR_ADMIN_TOKEN_FILE: `${path}.not` })).toThrow(/SVC_ASR_ADMIN_TOKEN_FILE.*no such file/);
});

test('publicEndpoint and adminEndpoint throw with instructions if no address is configured', () => {
  expect(() => publicEndpoint({ flags: {}, env: {}, file: {} })).toThrow(/npm start.*--base-url/);
  expect(() => adminEndpoint({ flags: {}, env: {}, file: {} })).toThrow(/npm start.*--admin-url/);
  expect(() => adminEndpoint({ flags: { adminUrl: 'http://far' }, env: {}, file })).toThrow(
    '--admin-url must start with',
  );
});
