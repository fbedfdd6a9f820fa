import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseApiKey } from '@svc-asr/core';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { runCommand } from './testing/command.ts';
import { TOKEN } from './testing/console.ts';
import { startTestEnvironment } from './testing/environment.ts';
import type { TestEnvironment } from './testing/environment.ts';

let console_: TestEnvironment;
let home: string;

beforeAll(async () => {
  console_ = await startTestEnvironment({ operator: true });
  home = temporaryFolder('command');
  writeFileSync(join(home, 'local.json'), JSON.stringify({ admin_url: console_.adminUrl, admin_token: TOKEN }));
});

afterAll(() => console_.stop());

const admin = (...line: string[]) => runCommand(['admin', ...line], { SVC_ASR_HOME: home });
const create = (name: string, ...options: string[]) =>
  admin('tenants', 'create', name, '--display-name', `The ${name}`, ...options);

test('svc-asr admin creates, grants, shows, lists and deletes a tenant', async () => {
  const models = ['--model', 'm1', '--model', 'm2', '--model-limit', 'm2=3', '--model-limit', 'm1=2'];
  const limits = ['--concurrent-sessions', '5', ...models, '--grant-seconds', '3600', '--priority', 'low'];
  expect(await create('radio', ...limits)).toEqual({ status: 0, out: 'Created the tenant radio.\n', err: '' });
  const again = await create('radio');
  expect([again.status, again.out]).toEqual([1, '']);
  expect(again.err).toContain('tenant_exists');

  const granted = await admin('tenants', 'grant', 'radio', '--seconds', '90', '--id', 'may');
  expect(granted.out).toBe('Granted 1m 30s to radio (grant may).\n');
  const repeated = await admin('tenants', 'grant', 'radio', '--seconds', '90', '--id', 'may');
  expect(repeated.out).toContain('nothing changed');
  expect((await admin('tenants', 'grant', 'radio', '--seconds=-30')).out).toContain('Granted -30s');

  const shown = (await admin('tenants', 'show', 'radio')).out;
  for (const row of [/display name +The radio/, /state +Active/, /models +m1, m2/, /priority +low/]) {
    expect(shown).toMatch(row);
  }
  expect(shown).toMatch(/concurrent sessions +5\nconcurrent sessions of m2 +3\nconcurrent sessions of m1 +2\n/);
  expect(shown).toMatch(/granted +1h 1m 0s\navailable +1h 1m 0s\n/);
  const changed = await admin('tenants', 'update', 'radio', '--priority', 'high', '--model-limit', 'none');
  expect([changed.out, changed.err]).toEqual(['Changed the tenant radio.\n', '']);
  expect(await console_.ledger.accounts.read('radio')).toMatchObject({
    priority: 'high',
    limits: { concurrentSessions: 5, sessionsPerMinute: 60, requestsPerMinute: 600 },
  });
  expect((await admin('tenants', 'show', 'radio')).out).not.toContain('concurrent sessions of');
  const nothing = await admin('tenants', 'update', 'radio');
  expect([nothing.status, nothing.err]).toEqual([2, expect.stringContaining('nothing to change')]);
  expect((await admin('tenants', 'list')).out).toMatch(/^NAME .*\nradio +The radio +Active +m1,m2 +high +5 +yes\n$/);

  expect((await admin('tenants', 'delete', 'radio')).out).toBe('Deleted the tenant radio and 0 keys.\n');
  expect((await admin('tenants', 'show', 'radio')).status).toBe(1);
});

test('svc-asr admin keys create prints only the new key on standard output, keys list hides the secret of the key, and keys revoke revokes the key', async () => {
  await create('acme');
  const created = await admin('keys', 'create', '--tenant', 'acme', '--name', 'production', '--expires', '90d');
  const key = created.out.trim();
  const keyId = parseApiKey(key) ?? '';
  expect([created.status, created.out, keyId.length]).toEqual([0, `${key}\n`, 10]);
  expect(created.err).toContain(`Key ${keyId} of acme`);
  expect((await console_.ledger.apiKeys.find(keyId))?.revoked).toBe(false);

  const limits = ['--scope', 'sessions:create', '--scope', 'usage:read', '--model', 'm1', '--model', 'm2'];
  const limited = await admin('keys', 'create', '--tenant', 'acme', ...limits);
  expect(limited.err).toContain('Scopes: sessions:create,usage:read. Models: m1,m2.');
  const unknown = await admin('keys', 'create', '--tenant', 'acme', '--scope', 'keys:write');
  expect(unknown.status).toBe(1);
  expect(unknown.err).toContain('scopes.0: must be one of sessions:create, usage:read');

  const listed = await admin('keys', 'list', '--tenant', 'acme');
  for (const line of listed.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  const { data } = JSON.parse((await admin('keys', 'list', '--tenant', 'acme', '--json')).out) as { data: object[] };
  expect(data).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ key_id: keyId, scopes: null, models: null }),
      expect.objectContaining({ scopes: ['sessions:create', 'usage:read'], models: ['m1', 'm2'] }),
    ]),
  );
  expect(listed.out).toContain(`${keyId}  acme    production  ${key.slice(-4)}`);
  expect(listed.out).not.toContain(key.slice(23, 50));

  expect(await admin('keys', 'revoke', keyId)).toEqual({ status: 0, out: `Revoked ${keyId}.\n`, err: '' });
  expect((await console_.ledger.apiKeys.find(keyId))?.revoked).toBe(true);
  expect((await admin('keys', 'revoke', keyId)).err).toContain('key_not_found');
  expect((await admin('keys', 'create', '--tenant', 'nobody')).err).toContain('tenant_not_found');
});

test('svc-asr admin --json prints one JSON document per command', async () => {
  const documents = [
    await create('json', '--json'),
    await admin('keys', 'create', '--tenant', 'json', '--json'),
    await admin('keys', 'list', '--json'),
    await admin('tenants', 'grant', 'json', '--seconds', '1', '--json'),
    await admin('tenants', 'show', 'json', '--json'),
    await admin('tenants', 'list', '--json'),
    await admin('tenants', 'delete', 'json', '--json'),
  ];
  for (const { status, out, err } of documents) {
    expect([status, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toHaveProperty('object');
  }
});

test('the list commands of svc-asr admin report unreadable files on standard error', async () => {
  const file = join(console_.folder, 'apikey-0123456789.yaml');
  writeFileSync(file, 'kind: [');
  for (const line of [
    ['keys', 'list'],
    ['tenants', 'list'],
    ['keys', 'list', '--json'],
  ]) {
    const { status, err } = await admin(...line);
    expect([status, err]).toEqual([0, expect.stringContaining(`Repair or delete the file ${file}: `)]);
  }
  rmSync(file);
});

test('svc-asr admin keys create warns if the tenant of the new key is not active', async () => {
  await create('waiting', '--state', 'Waitlisted');
  const { status, err } = await admin('keys', 'create', '--tenant', 'waiting');
  expect(status).toBe(0);
  expect(err).toContain('The tenant is Waitlisted');
});

test('svc-asr admin keys create warns if a model of the new key does not exist', async () => {
  await create('reader');
  await console_.ledger.catalogue.replace([
    { id: 'luo', language: 'Dholuo', languageCode: 'luo', maxAudioSeconds: 300, maxWaitSeconds: 60 },
  ]);
  const models = ['--model', 'luo', '--model', 'banana'];
  const { status, out, err } = await admin('keys', 'create', '--tenant', 'reader', ...models, '--json');
  expect([status, err]).toEqual([0, 'There is no model banana. The key cannot use it until the model is added.\n']);
  expect(JSON.parse(out)).toMatchObject({ models: ['luo', 'banana'], active: true });
});

test('svc-asr admin health reports that the operator holds no lease if the resources are in files', async () => {
  const { status, out } = await admin('health');
  expect(status).toBe(0);
  expect(out).toMatch(/^operator +holds no lease: resources are in files$/m);
});

test('svc-asr admin exports the journal to standard output and to a file', async () => {
  await create('books', '--grant-seconds', '10');
  await admin('tenants', 'grant', 'books', '--seconds', '5', '--id', 'second');
  const { out } = await admin('journal', 'export', '--tenant', 'books');
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ type, subject, granted_ms: ms }) => [type, subject, ms])).toEqual([
    ['grant', 'welcome', 10_000],
    ['grant', 'second', 5000],
  ]);
  const file = join(home, 'books.ndjson');
  const written = await admin('journal', 'export', '--tenant', 'books', '--output', file, '--json');
  expect(JSON.parse(written.out)).toEqual({ file, entries: 2 });
  expect(readFileSync(file, 'utf8')).toBe(out);
});

test('svc-asr admin exports usage to standard output and to a file that is named after the exported days', async () => {
  const head = 'tenant,day,model,sessions,audio_ms,billable_ms\n';
  expect(await admin('usage', 'export')).toEqual({ status: 0, out: head, err: '' });
  const range = ['--from', '2999-01-01', '--to', '2999-01-31'];
  const written = await admin('usage', 'export', ...range, '--folder', home, '--json');
  const file = join(home, 'usage-2999-01-01-2999-01-31.csv');
  expect(JSON.parse(written.out)).toEqual({ file, from: '2999-01-01', to: '2999-01-31', rows: 0 });
  expect(readFileSync(file, 'utf8')).toBe(head);
  const refused = await admin('usage', 'export', '--format', 'xml');
  expect([refused.status, refused.err]).toEqual([2, expect.stringContaining('--format must be csv or jsonl')]);
});

test('svc-asr admin audit prints the audit entries of a tenant, newest first, and the option that selects the next page', async () => {
  await create('audited');
  await admin('tenants', 'grant', 'audited', '--seconds', '5', '--id', 'may');
  const { out, err } = await admin('audit', '--tenant', 'audited', '--limit', '1');
  expect(out).toMatch(/^TIME .*\n\S+ \S+ UTC +tenant.grant +tenant\/audited +admin-token\n$/);
  const [, before = ''] = /--before (\S+)/.exec(err) ?? [];
  const next = await admin('audit', '--tenant', 'audited', '--before', before, '--json');
  expect(JSON.parse(next.out)).toMatchObject({
    data: [{ action: 'tenant.put', actor: 'admin-token' }],
    has_more: false,
  });
});

test('svc-asr admin reports a wrong admin token', async () => {
  const env = { SVC_ASR_HOME: home, SVC_ASR_ADMIN_TOKEN: 'wrong' };
  const { status, err } = await runCommand(['admin', 'tenants', 'list'], env);
  expect(status).toBe(1);
  expect(err).toContain('invalid_admin_token');
});
