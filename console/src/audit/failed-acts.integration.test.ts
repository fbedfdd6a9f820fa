import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { AuditEntryView } from '../responses.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';
import { createVisitor } from '../testing/visitor.ts';
import type { Visitor } from '../testing/visitor.ts';

const TENANT = {
  apiVersion: 'asr.svc.dev/v1',
  kind: 'Tenant',
  metadata: { name: 'radio' },
  spec: { displayName: 'Radio', state: 'Active' },
};

let console_: TestEnvironment;
let developer: Visitor;
beforeAll(async () => {
  console_ = await startTestEnvironment({ operator: false, env: { KEY_ACTIVATION_TIMEOUT_MS: '0' } });
  writeFileSync(join(console_.readFolder, 'radio.yaml'), stringify(TENANT));
  const { body } = await console_.call('POST', '/admin/v1/tenants/radio/sign-in');
  developer = createVisitor(console_.pageUrl);
  expect((await developer.call('POST', 'sign-in', { token: body.token })).status).toBe(200);
  // Replaces the folder with a link to a folder that does not exist. The console reads it as empty, and every write
  // fails.
  rmSync(console_.folder, { recursive: true });
  symlinkSync(join(console_.readFolder, 'missing'), console_.folder);
});
afterAll(() => console_.stop());

async function lastEntry(action: string): Promise<AuditEntryView> {
  return (await console_.call('GET', `/admin/v1/audit?action=${action}&limit=1`)).body.data[0];
}

const FAILED = { tenant: 'radio', detail: { failed: true } };
const KEY = { ...FAILED, target: expect.stringMatching(/^key\/\w{10}$/) };

test('if an administrator fails to create a key, the audit entry names the tenant and the key', async () => {
  expect((await console_.call('POST', '/admin/v1/keys', { body: { tenant: 'radio' } })).status).toBe(500);
  expect(await lastEntry('key.create')).toMatchObject({ ...KEY, actor: 'admin-token' });
});

test('if a developer fails to create a key, the audit entry names the tenant and the key', async () => {
  expect((await developer.call('POST', 'keys', { name: 'test' })).status).toBe(500);
  expect(await lastEntry('key.create')).toMatchObject({ ...KEY, actor: 'developer:link' });
});

test('if an invitation cannot be created, the audit entry names the tenant and the invitation', async () => {
  expect((await developer.call('POST', 'invitations', { role: 'viewer' })).status).toBe(500);
  const target = expect.stringMatching(/^invitation\/./);
  const detail = { role: 'viewer', failed: true };
  expect(await lastEntry('invitation.create')).toMatchObject({ ...FAILED, target, detail });
});
