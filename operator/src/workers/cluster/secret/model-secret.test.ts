import { LABELS } from '../names.ts';
import { buildModelSecret, readSecret } from './model-secret.ts';
import type { SecretSource, SecretValues } from './model-secret.ts';

const OWNER = { model: 'm', uid: 'uid' };
const password: SecretSource = (_model, existing) => ({ url: existing.url ?? 'redis://m:new@redis' });
const certificate: SecretSource = (model) => Promise.resolve({ 'tls.crt': `certificate of ${model}` });
const failing: SecretSource = () => Promise.reject(new Error('the CA has expired'));
const MESSAGE = 'a value for the Secret of the workers cannot be created: the CA has expired';
/** Builds the Secret of the model with these values. */
const build = async (values: SecretValues) => (await buildModelSecret(OWNER, undefined, [() => values])).secret.object;

test('buildModelSecret builds one Secret that the ASRModel owns, with the values of all sources', async () => {
  const { secret } = await buildModelSecret(OWNER, undefined, [certificate, password]);
  const { object } = secret;
  expect(object).toMatchObject({
    kind: 'Secret',
    type: 'Opaque',
    metadata: {
      name: 'm-workers',
      labels: { [LABELS.model]: 'm' },
      ownerReferences: [{ kind: 'ASRModel', uid: 'uid' }],
    },
  });
  expect(readSecret(object)).toEqual({ 'tls.crt': 'certificate of m', url: 'redis://m:new@redis' });
});

test('buildModelSecret keeps existing values, and removes keys that no source provides', async () => {
  const live = await build({ url: 'redis://m:old@redis', other: 'x' });
  const { secret } = await buildModelSecret(OWNER, live, [password]);
  expect(readSecret(secret.object)).toEqual({ url: 'redis://m:old@redis' });
});

test('if a source fails, buildModelSecret keeps the earlier values of that source, reads the other sources and returns the problem', async () => {
  const live = await build({ 'tls.crt': 'old', url: 'redis://m:old@redis' });
  const asked: (string | undefined)[] = [];
  const url: SecretSource = (_model, existing) => {
    asked.push(existing.url);
    return { url: 'redis://m:old@other' };
  };
  const { secret, problem } = await buildModelSecret(OWNER, live, [failing, url]);
  expect(asked).toEqual(['redis://m:old@redis']);
  expect(readSecret(secret.object)).toEqual({ 'tls.crt': 'old', url: 'redis://m:old@other' });
  expect(problem).toMatchObject({ message: MESSAGE });
});

test('buildModelSecret throws if a source fails and no earlier Secret exists, and reads no other source', async () => {
  const asked: string[] = [];
  const other: SecretSource = (model) => {
    asked.push(model);
    return {};
  };
  await expect(buildModelSecret(OWNER, undefined, [failing, other])).rejects.toThrow(MESSAGE);
  expect(asked).toEqual([]);
});
