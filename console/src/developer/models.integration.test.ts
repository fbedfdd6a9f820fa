import { createVisitor } from '../testing/visitor.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';

const ENTRY = { language: 'Kikuyu', languageCode: 'ki', maxAudioSeconds: 300, maxWaitSeconds: 10 };
let console_: TestEnvironment;

beforeAll(async () => {
  console_ = await startTestEnvironment({ env: { CACHE_MS: '0' }, operator: true });
});

afterAll(() => console_.stop());

async function signIn(name: string, models: string[]) {
  await console_.call('PUT', `/admin/v1/tenants/${name}`, { body: { displayName: name, state: 'Active', models } });
  const link = await console_.call('POST', `/admin/v1/tenants/${name}/link`);
  const developer = createVisitor(console_.pageUrl);
  await developer.call('POST', 'sign-in', { token: link.body.token });
  return developer;
}

test('GET models lists the models that the tenant may use, with their contexts', async () => {
  const all = await signIn('all', ['*']);
  expect((await all.call('GET', 'models')).body).toEqual({ object: 'list', data: [] });
  await console_.ledger.catalogue.replace([
    { id: 'one', ...ENTRY },
    { id: 'two', ...ENTRY, language: 'Dholuo', languageCode: 'luo' },
  ]);
  const one = {
    object: 'model',
    id: 'one',
    language: 'Kikuyu',
    language_code: 'ki',
    contexts: [{ context_size: [56, 13], chunk_ms: 1120, default: true }],
    max_audio_seconds: 300,
    ready: false,
  };
  const two = { ...one, id: 'two', language: 'Dholuo', language_code: 'luo' };
  expect((await all.call('GET', 'models')).body).toEqual({ object: 'list', data: [one, two] });
  const some = await signIn('some', ['two', 'missing']);
  expect((await some.call('GET', 'models')).body).toEqual({ object: 'list', data: [two] });
});

test('GET models requires a signed-in browser and refuses query parameters', async () => {
  expect((await createVisitor(console_.pageUrl).call('GET', 'models')).status).toBe(401);
  const developer = await signIn('query', ['*']);
  expect((await developer.call('GET', 'models?x=1')).status).toBe(400);
});
