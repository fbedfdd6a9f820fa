import { eventually } from '../../../test/support/eventually.ts';
import type { AuditEntryView } from '../responses.ts';
import { TOKEN } from '../testing/console.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';
import { createVisitor } from '../testing/visitor.ts';
import type { Visitor } from '../testing/visitor.ts';

const PLAN = { ledgerId: 'lost-ledger', tenants: [] };

let console_: TestEnvironment;
beforeAll(async () => (console_ = await startTestEnvironment({ operator: true })));
afterAll(() => console_.stop());

const call: TestEnvironment['call'] = (...args) => console_.call(...args);
const put = (name: string, state = 'Active') =>
  call('PUT', `/admin/v1/tenants/${name}`, { body: { displayName: name, state } });
const createKey = async (tenant: string) =>
  String((await call('POST', '/admin/v1/keys', { body: { tenant } })).body.key_id);

async function entries(query = ''): Promise<AuditEntryView[]> {
  return (await call('GET', `/admin/v1/audit${query}`)).body.data;
}

/** Example of a request to a route, and the entry that it adds. */
interface Example {
  /** Creates what the request needs, and returns its path. */
  prepare: () => Promise<string>;
  /** Returns the headers of the request. By default it has the admin token. */
  headers?: () => Promise<Record<string, string>>;
  body?: object;
  expected: Partial<AuditEntryView>;
}

const tenant =
  (name: string, path = '', state?: string) =>
  async () => {
    await put(name, state);
    return `/admin/v1/tenants/${name}${path}`;
  };
const application = (name: string, decision: string) => async () => {
  await put(name, 'Waitlisted');
  return `/admin/v1/applications/${name}/${decision}`;
};

/** Header by which the page proves that a request comes from it. */
const FROM_PAGE = { 'x-svc-asr-console': '1' };

/** Signs in as an administrator, and returns the headers of a browser. */
async function signInAsAdministrator(): Promise<Record<string, string>> {
  const { headers } = await call('POST', '/admin/v1/sign-in', {
    body: { token: TOKEN },
    token: null,
    headers: FROM_PAGE,
  });
  return { ...FROM_PAGE, cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  'PUT /admin/v1/tenants/:name': {
    prepare: () => Promise.resolve('/admin/v1/tenants/put'),
    body: { displayName: 'Put' },
    expected: {
      action: 'tenant.put',
      target: 'tenant/put',
      tenant: 'put',
      detail: { created: true, state: 'Waitlisted' },
    },
  },
  'PATCH /admin/v1/tenants/:name': {
    prepare: tenant('patch'),
    body: { state: 'Suspended' },
    expected: { action: 'tenant.update', tenant: 'patch', detail: { fields: ['state'], state: 'Suspended' } },
  },
  'DELETE /admin/v1/tenants/:name': {
    prepare: tenant('delete'),
    expected: { action: 'tenant.delete', target: 'tenant/delete', detail: { keys_revoked: 0 } },
  },
  'POST /admin/v1/tenants/:name/grants': {
    prepare: tenant('grants', '/grants'),
    body: { id: 'may', audio_seconds: 60 },
    expected: { action: 'tenant.grant', tenant: 'grants', detail: { grant: 'may', audio_seconds: 60 } },
  },
  'POST /admin/v1/tenants/:name/purge': {
    prepare: tenant('purge', '/purge'),
    body: {},
    expected: { action: 'tenant.purge_preview', target: 'tenant/purge', tenant: 'purge', detail: {} },
  },
  'POST /admin/v1/tenants/:name/link': {
    prepare: tenant('link', '/link'),
    expected: { action: 'link.create', target: 'tenant/link', detail: {} },
  },
  'POST /admin/v1/tenants/:name/sign-in': {
    prepare: tenant('code', '/sign-in'),
    expected: { action: 'sign_in_code.create', target: 'tenant/code', detail: {} },
  },
  'POST /admin/v1/applications/:name/approve': {
    prepare: application('approve', 'approve'),
    body: { audio_seconds: 5 },
    expected: { action: 'application.approve', tenant: 'approve', detail: { audio_seconds: 5 } },
  },
  'POST /admin/v1/applications/:name/decline': {
    prepare: application('decline', 'decline'),
    expected: { action: 'application.decline', tenant: 'decline' },
  },
  'POST /admin/v1/keys': {
    prepare: async () => {
      await put('keys');
      return '/admin/v1/keys';
    },
    body: { tenant: 'keys' },
    expected: { action: 'key.create', tenant: 'keys' },
  },
  'DELETE /admin/v1/keys/:keyId': {
    prepare: async () => {
      await put('revoked');
      return `/admin/v1/keys/${await createKey('revoked')}`;
    },
    expected: { action: 'key.revoke', tenant: 'revoked' },
  },
  'POST /admin/v1/sign-in': {
    prepare: () => Promise.resolve('/admin/v1/sign-in'),
    headers: () => Promise.resolve(FROM_PAGE),
    body: { token: TOKEN },
    expected: { action: 'administrator.sign_in', target: 'administrator/admin-token', tenant: null, detail: {} },
  },
  'DELETE /admin/v1/sign-in': {
    prepare: () => Promise.resolve('/admin/v1/sign-in'),
    headers: signInAsAdministrator,
    expected: { action: 'administrator.sign_out', target: 'administrator/admin-token', tenant: null },
  },
  'DELETE /admin/v1/sessions': {
    prepare: () => Promise.resolve('/admin/v1/sessions'),
    headers: signInAsAdministrator,
    expected: { action: 'administrator.sign_out_all', target: 'administrators', tenant: null },
  },
  'POST /admin/v1/ledger/rebuild': {
    prepare: async () => {
      await console_.ledger.identity.showPlan(PLAN);
      return '/admin/v1/ledger/rebuild';
    },
    body: { ledger_id: PLAN.ledgerId },
    expected: { action: 'ledger.rebuild', target: `ledger/${PLAN.ledgerId}`, tenant: null },
  },
};

test('every route of the admin API that changes something is listed in EXAMPLES', () => {
  const writes = console_.routes.admin.filter(({ method, path }) => method !== 'GET' && path.startsWith('/admin/'));
  expect(writes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(EXAMPLES).sort());
});

/**
 * Answers pending requests of the console as the operator does during a purge. The answer to a request with the action
 * `busyAt` reports a live session.
 */
async function answerPurges(busyAt?: 'check' | 'remove'): Promise<void> {
  const { requests } = console_.ledger.purge;
  for (const request of await requests.list()) {
    await requests.answer(request, { liveSessions: request.action === busyAt ? 1 : 0, removed: {}, remaining: {} });
  }
}

test.each(Object.entries(EXAMPLES))(
  '%s adds an entry to the audit log',
  async (route, { prepare, headers: headersOf, body, expected }) => {
    const path = await prepare();
    const options = headersOf === undefined ? {} : { headers: await headersOf(), token: null };
    const [method = ''] = route.split(' ');
    let isDone = false;
    const answering = call(method, path, { ...options, ...(body && { body }) }).finally(() => (isDone = true));
    await eventually('the request was answered', 30_000, async () => {
      await answerPurges();
      return isDone;
    });
    const { status, headers } = await answering;
    expect(status).toBeLessThan(300);
    const requestId = headers.get('x-request-id');
    expect((await entries()).filter(({ request_id: id }) => id === requestId)).toEqual([
      expect.objectContaining({ object: 'audit_entry', actor: 'admin-token', actor_name: null, ...expected }),
    ]);
  },
);

const USAGE = '/admin/v1/usage?from=2999-01-01&to=2999-01-31';

/** Requests that show data of the tenant `viewed`, by route, and the name of the view in their entries. */
const VIEWS: Record<string, [path: string, view: string]> = {
  'GET /admin/v1/tenants/:name': ['/admin/v1/tenants/viewed', 'tenant'],
  'GET /admin/v1/tenants/:name/usage': ['/admin/v1/tenants/viewed/usage', 'usage'],
  'GET /admin/v1/tenants/:name/journal': ['/admin/v1/tenants/viewed/journal', 'journal'],
  'GET /admin/v1/tenants/:name/keys': ['/admin/v1/tenants/viewed/keys', 'keys'],
  'GET /admin/v1/tenants/:name/sessions': ['/admin/v1/tenants/viewed/sessions', 'sessions'],
  'GET /admin/v1/tenants/:name/refusals': ['/admin/v1/tenants/viewed/refusals', 'refusals'],
  'GET /admin/v1/keys': ['/admin/v1/keys?tenant=viewed', 'keys'],
  'GET /admin/v1/usage': [`${USAGE}&tenant=viewed`, 'usage'],
};

/** Routes that add no entry to the audit log, because they do not show the data of a single tenant. */
const WITHOUT_ENTRY = ['tenants', 'applications', 'ledger', 'audit', 'models', 'health', 'session', 'sign-in'];

test('every GET route of the admin API is listed in VIEWS or in WITHOUT_ENTRY', () => {
  const reads = console_.routes.admin.filter(({ method, path }) => method === 'GET' && path.startsWith('/admin/'));
  const others = WITHOUT_ENTRY.map((path) => `GET /admin/v1/${path}`);
  const known = [...Object.keys(VIEWS), ...others];
  expect(reads.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(known.sort());
});

test.each(Object.entries(VIEWS))(
  '%s adds an entry to the audit log, because it shows data of a tenant',
  async (_route, [path, view]) => {
    expect((await put('viewed')).body.applied).toBe(true);
    const { status, headers } = await call('GET', path);
    expect(status).toBe(200);
    const requestId = headers.get('x-request-id');
    expect((await entries('?action=tenant.view')).filter(({ request_id: id }) => id === requestId)).toEqual([
      expect.objectContaining({ target: 'tenant/viewed', tenant: 'viewed', detail: { view } }),
    ]);
  },
);

test.each(['/admin/v1/keys', USAGE])(
  'GET %s adds no entry to the audit log, because it names no tenant',
  async (path) => {
    const before = (await entries())[0]?.id;
    expect((await call('GET', path)).status).toBe(200);
    expect((await entries())[0]?.id).toBe(before);
  },
);

test('a rejected request adds no entry to the audit log', async () => {
  const before = (await entries())[0]?.id;
  expect((await call('POST', '/admin/v1/keys', { body: { tenant: 'nobody' } })).status).toBe(404);
  expect((await call('DELETE', '/admin/v1/tenants/nobody')).status).toBe(404);
  expect((await call('PUT', '/admin/v1/tenants/x', { body: '{' })).status).toBe(400);
  expect((await call('DELETE', '/admin/v1/tenants/put', { token: 'wrong' })).status).toBe(401);
  expect((await entries())[0]?.id).toBe(before);
});

test.each([
  ['adds an entry to the audit log if the purge has removed data', 'remove', [{ failed: true }]],
  ['adds no entry to the audit log if the purge has removed no data', 'check', []],
] as const)('a purge that is refused because of a live session %s', async (_result, busyAt, details) => {
  await put(`busy-${busyAt}`);
  let isDone = false;
  const path = `/admin/v1/tenants/busy-${busyAt}/purge`;
  const answering = call('POST', path, { body: { confirm: true } }).finally(() => (isDone = true));
  await eventually('the request was answered', 30_000, async () => {
    await answerPurges(busyAt);
    return isDone;
  });
  const { status, headers, body } = await answering;
  expect([status, body.error.code]).toEqual([409, 'tenant_has_live_sessions']);
  const requestId = headers.get('x-request-id');
  const found = (await entries()).filter(({ request_id: id }) => id === requestId);
  expect(found.map(({ detail }) => detail)).toEqual(details);
});

async function signIn(name: string): Promise<Visitor> {
  await put(name);
  const { token } = (await call('POST', `/admin/v1/tenants/${name}/link`)).body as { token: string };
  const visitor = createVisitor(console_.pageUrl);
  expect((await visitor.call('POST', 'sign-in', { token })).status).toBe(200);
  return visitor;
}

test('changes of keys and links by developers add entries without secrets to the audit log', async () => {
  const developer = await signIn('radio');
  const created = await developer.call('POST', 'keys', { name: 'Producer Wanjiku' });
  await developer.call('DELETE', `keys/${created.body.key_id}`);
  const renewed = await developer.call('POST', 'link');
  await developer.call('DELETE', 'link');
  const found = await entries('?tenant=radio&actor=developer:link');
  expect(found.map(({ action, target }) => [action, target])).toEqual([
    ['link.revoke', 'tenant/radio'],
    ['link.create', 'tenant/radio'],
    ['key.revoke', `key/${created.body.key_id}`],
    ['key.create', `key/${created.body.key_id}`],
  ]);
  const text = JSON.stringify(found) + console_.output();
  for (const secret of [created.body.key, renewed.body.token, 'Wanjiku']) expect(text).not.toContain(secret);
});
