import { LABELS } from '../names.ts';
import { buildModelSecret, readSecret } from './model-secret.ts';
import type { SecretSource } from './model-secret.ts';

const OWNER = { model: 'm', uid: 'uid' };
const password: SecretSource = (_model, existing) => ({ url: existing.url ?? 'redis://m:new@redis' });
const certificate: SecretSource = (model) => Promise.resolve({ 'tls.crt': `certificate of ${model}` });

test('buildModelSecret builds one Secret with the values of all sources, which the ASRModel owns', async () => {
  const { object } = await buildModelSecret(OWNER, undefined, [certificate, password]);
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
  const live = (await buildModelSecret(OWNER, undefined, [() => ({ url: 'redis://m:old@redis', other: 'x' })])).object;
  const { object } = await buildModelSecret(OWNER, live, [password]);
  expect(readSecret(object)).toEqual({ url: 'redis://m:old@redis' });
});
