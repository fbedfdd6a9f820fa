import { readdirSync, readFileSync } from 'node:fs';
import { parseFile } from './parse.ts';

const folder = new URL('../../../../config/local/', import.meta.url);

test('the files of config/local are valid and define the tenant and the two models of `npm start`', () => {
  const parsed = readdirSync(folder)
    .sort()
    .map((name) => parseFile(readFileSync(new URL(name, folder), 'utf8')));
  const found = parsed.flatMap<unknown>((file) => (file.ok ? file.found : file.problems));
  expect(found).toMatchObject([
    { resource: { metadata: { name: 'svc-asr-kikuyu-v1' }, spec: { language: 'Kikuyu', languageCode: 'ki' } } },
    { resource: { metadata: { name: 'svc-asr-dholuo-v1' }, spec: { language: 'Dholuo', languageCode: 'luo' } } },
    {
      resource: {
        metadata: { name: 'local' },
        spec: {
          state: 'Active',
          models: ['*'],
          limits: { concurrentSessions: 5, requestsPerMinute: 6000, sessionsPerMinute: 6000 },
          grants: [{ id: 'welcome', audioSeconds: 1000 * 3600 }],
        },
      },
    },
  ]);
});
