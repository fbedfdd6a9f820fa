import { INSTALLATION, MODELS, templateOf } from '../../../testing/cluster-models.ts';
import { model } from '../../../testing/resources.ts';
import type { Installation } from '../installation.ts';
import { findTemplateProblem } from './template-problem.ts';

const ANY_HOST: Installation = { ...INSTALLATION, allowedArtifactHosts: [] };
const url = { url: 'https://evil.example/m.tar.gz', sha256: 'd'.repeat(64) };

const problemOf = (spec: object, installation = INSTALLATION) =>
  findTemplateProblem(templateOf(model('m', spec), installation), installation);

test.each(Object.keys(MODELS) as (keyof typeof MODELS)[])('the admission rules accept the model %s', (name) => {
  expect(findTemplateProblem(templateOf(MODELS[name]), INSTALLATION)).toBeUndefined();
});

test('the admission rules refuse an image of another repository, and name the images that are allowed', () => {
  const { reason, message } = problemOf({ worker: { image: 'evil/worker:1' } }) ?? {};
  expect([reason, message]).toEqual(['ImageRefused', expect.stringContaining('evil/worker:1')]);
  expect(message).toContain('registry.example/svc-asr/worker, registry.example/svc-asr/*, worker');
});

test("the admission rules accept another tag of the installation's image, even if no further image is allowed", () => {
  const installation = { ...INSTALLATION, allowedImages: [] };
  expect(problemOf({ worker: { image: 'registry.example/svc-asr/worker:2-cuda' } }, installation)).toBeUndefined();
  expect(problemOf({ worker: { image: 'worker:1' } }, installation)).toMatchObject({ reason: 'ImageRefused' });
});

test.each([
  ['url', { artifact: url }],
  ['image', { artifact: { image: 'evil.example/models/m:1' } }],
])('the admission rules refuse an artifact.%s of a host that is not allowed', (field, spec) => {
  expect(problemOf(spec)).toEqual({
    reason: 'ArtifactHostRefused',
    message: expect.stringContaining(`host "evil.example:443" (spec.artifact.${field}) is not allowed`),
  });
});

test('with an empty list of hosts, the admission rules allow every host, but refuse an artifact that needs credentials', () => {
  expect(problemOf({ artifact: url }, ANY_HOST)).toBeUndefined();
  expect(problemOf({ artifact: { image: 'evil.example/m:1' } }, ANY_HOST)).toBeUndefined();
  expect(problemOf({ artifact: { ...url, secretRef: { name: 's' } } }, ANY_HOST)).toEqual({
    reason: 'ArtifactHostRefused',
    message: expect.stringContaining('must not be sent to "evil.example:443"'),
  });
});

test.each([
  ['the volume of Redis as artifact', { persistentVolumeClaim: { claimName: 'data-svc-asr-redis-0' } }],
  ['the volume of the journal as cache', { ...url, cache: { claimName: 'journal' } }],
])('the admission rules refuse %s', (_name, artifact) => {
  expect(problemOf({ artifact }, ANY_HOST)).toMatchObject({ reason: 'ArtifactClaimRefused' });
});

test.each([
  'NODE_OPTIONS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'LD_PRELOAD',
  'REDIS_URL',
  'WORKER_TICKET_PUBLIC_KEYS_FILE',
  'TLS_KEY_FILE',
  'ADVERTISE_ADDRESS',
  'PATH',
  'MODEL',
  'WORKER_ID',
  'ARTIFACT_CREDENTIALS_FOLDER',
])('the admission rules refuse the variable %s', (name) => {
  const problem = problemOf({ worker: { env: [{ name, value: 'x' }] } });
  expect(problem).toEqual({ reason: 'ReservedVariable', message: expect.stringContaining(name) });
});

test('the admission rules accept variables that configure workers, their telemetry and the proxy of the download', () => {
  // A model may override the OTLP endpoint of the installation.
  const sending = { ...INSTALLATION, otlpEndpoint: 'http://collector:4318' };
  const names = ['MAX_BATCH', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'HTTPS_PROXY', 'NODE_USE_ENV_PROXY', 'ARTIFACT_MAX_MIB'];
  expect(problemOf({ worker: { env: names.map((name) => ({ name, value: '1' })) } }, sending)).toBeUndefined();
});

test('findTemplateProblem reports a missing image', () => {
  const installation = { ...INSTALLATION, image: '' };
  expect(problemOf({}, installation)).toEqual({
    reason: 'ImageMissing',
    message: expect.stringContaining('WORKER_IMAGE'),
  });
  expect(problemOf({ worker: { image: 'worker:1' } }, installation)).toBeUndefined();
});
