import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { PurgeRequest } from '@svc-asr/ledger';
import type { ResourceStore } from '../resources/store.ts';
import { countTenant } from '../tenants/purge.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';

let console_: TestEnvironment;
beforeAll(async () => (console_ = await startTestEnvironment({ operator: true })));
afterAll(() => console_.stop());

const purge = (name: string, body: object = {}) => console_.call('POST', `/admin/v1/tenants/${name}/purge`, { body });
const put = (name: string) => console_.call('PUT', `/admin/v1/tenants/${name}`, { body: { displayName: name } });

/** Answers the requests for purges as the operator does, without removing anything. */
async function answering<T>(remaining: Record<string, number>, work: () => Promise<T>): Promise<T> {
  const { requests } = console_.ledger.purge;
  const ending = new AbortController();
  const loop = (async () => {
    while (!ending.signal.aborted) {
      for (const request of await requests.list()) {
        await requests.answer(request, { liveSessions: 0, removed: {}, remaining });
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  try {
    return await work();
  } finally {
    ending.abort();
    await loop;
  }
}

test('POST purge returns 503 if the operator does not answer, and withdraws its request to the operator', async () => {
  // Only this test waits for an answer that never comes, so only its console has a short timeout.
  const impatient = await startTestEnvironment({ operator: true, env: { PURGE_TIMEOUT_MS: '300' } });
  try {
    await impatient.call('PUT', '/admin/v1/tenants/acme', { body: { displayName: 'acme' } });
    for (const body of [{}, { confirm: true }]) {
      const refused = { status: 503, body: { error: { code: 'operator_unavailable' } } };
      expect(await impatient.call('POST', '/admin/v1/tenants/acme/purge', { body })).toMatchObject(refused);
    }
    expect(await impatient.ledger.purge.requests.list()).toEqual([]);
    expect(await impatient.call('GET', '/admin/v1/tenants/acme')).toMatchObject({ status: 200 });
  } finally {
    await impatient.stop();
  }
});

test('countTenant withdraws its request to the operator even if Redis did not confirm the storage of this request', async () => {
  const { ledger } = console_;
  const withdrawn: string[] = [];
  const requests = {
    submit: () => Promise.reject(new LedgerUnavailable('Redis did not answer')),
    withdraw: ({ tenant }: { tenant: string }) => Promise.resolve(void withdrawn.push(tenant)),
    answerTo: (request: PurgeRequest) => ledger.purge.requests.answerTo(request),
  };
  const deps = { store: {} as ResourceStore, ledger: { purge: { requests } } };
  const polling = { timeoutMs: 100, intervalMs: 10 };
  await expect(countTenant(deps, 'acme', polling)).rejects.toThrow(LedgerUnavailable);
  expect(withdrawn).toEqual(['acme']);
});

test('the purge route rejects invalid tenant names, unknown fields and methods other than POST', async () => {
  expect(await purge('Not_A_Name')).toMatchObject({ status: 400, body: { error: { code: 'invalid_parameters' } } });
  expect(await purge('acme', { force: true })).toMatchObject({ status: 400 });
  expect(await console_.call('GET', '/admin/v1/tenants/acme/purge')).toMatchObject({ status: 405 });
});

test('POST purge deletes the resources, and returns "complete": true only if the operator finds no remaining data', async () => {
  await put('left');
  const left = await answering({ account_keys: 1 }, () => purge('left', { confirm: true }));
  expect(left).toMatchObject({
    status: 200,
    body: { removed: { tenant_resources: 1 }, remaining: { tenant_resources: 0, account_keys: 1 }, complete: false },
  });
  const done = await answering({ account_keys: 0 }, () => purge('left', { confirm: true }));
  expect(done.body).toMatchObject({ removed: { tenant_resources: 0 }, complete: true });
});

test('POST purge returns "complete": false while a file that could contain a key of the tenant cannot be read', async () => {
  writeFileSync(join(console_.folder, 'apikey-0123456789.yaml'), 'kind: [');
  const { body } = await answering({}, () => purge('none', { confirm: true }));
  expect(body).toMatchObject({ complete: false, unreadable: [{ file: expect.stringContaining('0123456789') }] });
  await console_.call('DELETE', '/admin/v1/keys/0123456789');
  expect((await answering({}, () => purge('none', { confirm: true }))).body).toMatchObject({ complete: true });
});

test('POST purge refuses a tenant whose file is in a read-only folder', async () => {
  const text = 'apiVersion: asr.svc.dev/v1\nkind: Tenant\nmetadata: {name: fixed}\nspec: {displayName: Fixed}\n';
  writeFileSync(join(console_.readFolder, 'fixed.yaml'), text);
  const refused = await answering({}, () => purge('fixed', { confirm: true }));
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'read_only_resource' } } });
});

test('the audit log names the tenant of a purge preview only while there is something to purge', async () => {
  await put('previewed');
  await answering({}, () => purge('previewed'));
  const entries = async (action: string) => {
    const { body } = await console_.call('GET', `/admin/v1/audit?action=${action}&limit=1`);
    return (body.data as { tenant: string | null; target: string }[]).map(({ tenant, target }) => [tenant, target]);
  };
  expect(await entries('tenant.purge_preview')).toEqual([['previewed', 'tenant/previewed']]);
  await answering({}, () => purge('previewed', { confirm: true }));
  expect(await entries('tenant.purge')).toEqual([[null, 'purged']]);
  await answering({}, () => purge('previewed'));
  expect(await entries('tenant.purge_preview')).toEqual([[null, 'preview']]);
});
