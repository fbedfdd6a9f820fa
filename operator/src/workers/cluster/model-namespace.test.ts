import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '@svc-asr/runtime';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { OPERATOR_SETTINGS } from '../../settings.ts';
import { GUESTS, INSTALLATION, MODELS, templateOf } from '../../testing/cluster-models.ts';
import { createCopySource, installationWithin } from './model-namespace.ts';
import { buildPodTemplate } from './objects/pod-template.ts';

const folder = temporaryFolder('copies');
const file = (name: string) => {
  const path = join(folder, name);
  writeFileSync(path, `content of ${name}`);
  return path;
};
const sourceOf = (env: NodeJS.ProcessEnv) => createCopySource(readSettings(OPERATOR_SETTINGS, env));
const ticketKeys = { WORKER_TICKET_PUBLIC_KEYS_FILE: file('keys.pem') };

test('createCopySource copies the public keys of tickets, and also the CA and the shared Redis URL if they are configured', async () => {
  expect(await sourceOf(ticketKeys)('m', {})).toEqual({ 'keys.pem': 'content of keys.pem' });
  const all = {
    ...ticketKeys,
    WORKER_CA_SECRET: 'ca',
    WORKER_CA_FILE: file('ca.crt'),
    WORKER_REDIS_USERS: 'shared',
    WORKER_REDIS_URL_FILE: file('url'),
  };
  expect(await sourceOf(all)('m', {})).toEqual({
    'keys.pem': 'content of keys.pem',
    'ca.crt': 'content of ca.crt',
    url: 'content of url',
  });
});

test.each([
  ['WORKER_TICKET_PUBLIC_KEYS_FILE', {}],
  ['WORKER_REDIS_URL_FILE', { ...ticketKeys, WORKER_REDIS_USERS: 'shared' }],
  ['WORKER_CA_FILE', { ...ticketKeys, WORKER_CA_SECRET: 'ca' }],
])('createCopySource throws if %s is not set although the settings require it', (name, env) => {
  expect(() => sourceOf(env)).toThrow(`MODEL_NAMESPACES is set, but ${name} is not`);
});

test("pods outside the installation's namespace mount only the Secrets MODEL-workers and the Secrets that models name", () => {
  const shared = { ...INSTALLATION, redis: { ...INSTALLATION.redis, secret: 'svc-asr-worker-redis' } };
  const installation = installationWithin(shared, 'platform');
  const { spec } = buildPodTemplate(templateOf(MODELS['gpu-url'], installation, 'uid', GUESTS), installation);
  const secrets = spec.volumes.flatMap((volume) => ('secret' in volume ? (volume.secret.secretName ?? []) : []));
  const ofModels = ['svc-asr-dholuo-v1', 'guest-claim', 'guest-path', 'guest-url'].map((name) => `${name}-workers`);
  expect([...new Set(secrets)].sort()).toEqual([...ofModels, 'guest-credentials', 'model-credentials'].sort());
});

test("the revision of a model differs between the installation's namespace and other namespaces, because the volumes of the pods differ", () => {
  const within = installationWithin(INSTALLATION, 'platform');
  expect(templateOf(MODELS['cpu-path'], within).revision).not.toBe(templateOf(MODELS['cpu-path']).revision);
});
