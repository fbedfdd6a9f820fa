import { readSettings } from '@svc-asr/runtime';
import { OPERATOR_SETTINGS } from '../../settings.ts';
import { readInstallation, readSecretSources } from './settings.ts';

const read = (env: NodeJS.ProcessEnv) => readInstallation(readSettings(OPERATOR_SETTINGS, env));

test('readInstallation reads lists, labels, ports and shares from the worker settings', () => {
  expect(
    read({
      WORKER_IMAGE: 'worker:1',
      WORKER_IMAGE_PULL_SECRETS: 'a, b',
      WORKER_ALLOWED_IMAGES: 'registry.example/worker, registry.example/team/*',
      WORKER_ALLOWED_ARTIFACT_HOSTS: 'models.example,*.models.example:8443',
      WORKER_OWN_SECRETS: 'svc-asr-worker-redis,admin',
      WORKER_OWN_CLAIMS: 'data-*',
      WORKER_GATEWAY_LABELS: 'app=gateway,tier=',
      WORKER_REDIS_LABELS: 'app=redis',
      WORKER_OTLP_ENDPOINT: 'http://collector:4318/',
      WORKER_EGRESS_PORTS: '443,3128',
      WORKER_MAX_UNAVAILABLE: '2',
      REDIS_URL: 'rediss://user:word@one:7000,redis://two',
    }),
  ).toMatchObject({
    image: 'worker:1',
    imagePullSecrets: ['a', 'b'],
    allowedImages: ['registry.example/worker', 'registry.example/team/*'],
    allowedArtifactHosts: ['models.example', '*.models.example:8443'],
    ownSecrets: ['svc-asr-worker-redis', 'svc-asr-worker-ticket-public-keys', 'a', 'b', 'admin'],
    ownClaims: ['data-*'],
    gatewayLabels: { app: 'gateway', tier: '' },
    otlpEndpoint: 'http://collector:4318',
    egressPorts: [443, 3128],
    maxUnavailable: 2,
    redis: { ports: [7000, 6379], labels: { app: 'redis' }, secret: undefined },
  });
  expect(read({})).toMatchObject({ maxUnavailable: '25%', redis: { labels: {} } });
  expect(read({ WORKER_REDIS_USERS: 'shared', WORKER_REDIS_SECRET: 'x' }).redis.secret).toBe('x');
});

test('readInstallation allows workers to connect to sentinels and to the default port of Redis', () => {
  const ports = (url: string) => read({ REDIS_URL: url }).redis.ports;
  expect(ports('redis+sentinel://a:7000/ledger,redis+sentinel://b:7001/ledger')).toEqual([7000, 6379, 7001]);
  expect(ports('rediss+sentinel://a/ledger')).toEqual([26_379, 6379]);
});

test.each([
  ['WORKER_ALLOWED_IMAGES', 'registry.example*', 'neither an image'],
  ['WORKER_ALLOWED_ARTIFACT_HOSTS', 'https://models.example', 'HOST:PORT'],
  ['WORKER_GATEWAY_LABELS', 'gateway', 'name=value'],
  ['WORKER_OTLP_ENDPOINT', 'collector:4318', 'http://'],
  ['WORKER_EGRESS_PORTS', '443,https', 'https'],
  ['WORKER_MAX_UNAVAILABLE', '0', 'percentage'],
  ['WORKER_MAX_UNAVAILABLE', '101%', 'percentage'],
])('the setting %s rejects %j', (name, value, why) => {
  expect(() => read({ [name]: value })).toThrow(why);
});

test('readSecretSources issues certificates only if a CA is set', () => {
  const sourcesOf = (env: NodeJS.ProcessEnv) => readSecretSources(readSettings(OPERATOR_SETTINGS, env));
  expect(sourcesOf({})).toHaveLength(0);
  const file = import.meta.filename;
  expect(sourcesOf({ WORKER_ISSUER_CERT_FILE: file, WORKER_ISSUER_KEY_FILE: file })).toHaveLength(1);
});
