import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOKEN } from '../src/testing/console.ts';
import { checkPage, errorsOf, followIfShown, startBrowser, waitForFocus } from './testing/browser.ts';
import type { Page, TestBrowser } from './testing/browser.ts';
import { startBrowserConsole } from './testing/console.ts';
import type { BrowserConsole } from './testing/console.ts';
import { completeSession } from './testing/sessions.ts';

/** Time limit of a test that checks many pages. */
const LONG_TEST_MS = 240_000;

let console_: BrowserConsole;
let browser: TestBrowser;

beforeAll(async () => {
  [console_, browser] = await Promise.all([startBrowserConsole(), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await console_.stop();
});

/** Signs in as an administrator, and opens a path of the page. */
async function signIn(path = '/', token = TOKEN, url = console_.adminUrl): Promise<Page> {
  const page = await browser.open(`${url}${path}`);
  await page.getByLabel('Admin token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return page;
}

/**
 * Waits until the notice with the result of an action has the focus. The page moves the focus there, because it removes
 * the button of the action.
 */
const focusedNotice = (page: Page, text: string) => page.locator('.notice:focus').filter({ hasText: text }).waitFor();

/**
 * Delays the effects of components by half a second after they were rendered. The page then receives answers before the
 * effects run, as in a busy browser.
 */
const delayEffects = (page: Page) =>
  page.evaluate(`requestAnimationFrame = () => 0;
    const timer = setTimeout;
    setTimeout = (run, ms) => timer(run, ms === 35 ? 500 : ms);`);

/** Waits until the delayed effects of the present components have run. */
const waitForEffects = (page: Page) => page.evaluate('new Promise((done) => setTimeout(done, 1000))');

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

/** Puts an application on the waitlist, and returns the name of its tenant. */
async function apply(organisation: string, use = 'Captions for <b>radio</b>'): Promise<string> {
  const response = await fetch(`${console_.pageUrl}/console/v1/applications`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-svc-asr-console': '1' },
    body: JSON.stringify({ name: 'Achieng', email: 'a@example.org', organisation, use }),
  });
  return ((await response.json()) as { tenant: string }).tenant;
}

const specOf = async (name: string) => (await console_.call('GET', `/admin/v1/tenants/${name}`)).body.spec;

test('an administrator signs in with the admin token and signs out, and the sign-in page refuses a wrong token', async () => {
  const page = await signIn('/', 'wrong');
  await page.getByText('The admin token is not valid').waitFor();
  await checkPage(page);
  await page.getByLabel('Admin token').fill(TOKEN);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'Applications');
  await page.reload();
  await heading(page, 'Applications');
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You have signed out.').waitFor();
  await checkPage(page);
  expect(errorsOf(page)).toEqual([]);
});

test('an administrator whose session was ended elsewhere is sent to the sign-in page, which explains this', async () => {
  const page = await signIn('/tenants');
  await heading(page, 'Tenants');
  await console_.call('DELETE', '/admin/v1/sessions');
  await followIfShown(page, '/audit');
  await page.getByText('Your session has ended.').waitFor();
});

test('an administrator approves an application with credit, a limit on sessions and a selection of models', async () => {
  await console_.ledger.catalogue.replace([
    { id: 'kikuyu', language: 'Kikuyu', languageCode: 'ki', maxAudioSeconds: 300, maxWaitSeconds: 60 },
  ]);
  const name = await apply('Nam Lolwe FM');
  const page = await signIn();
  await page.getByText('Captions for <b>radio</b>').waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'Approve Nam Lolwe FM' }).click();
  const dialog = page.getByRole('dialog', { name: 'Approve Nam Lolwe FM' });
  await dialog.getByLabel('Initial credit in minutes').fill('90');
  await dialog.getByLabel('Sessions at the same time').fill('4');
  await dialog.getByLabel('Models').selectOption('Only these models');
  await checkPage(page);
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await dialog.getByText('Select at least one model.').waitFor();
  await dialog.getByLabel('kikuyu').check();
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await focusedNotice(page, 'Nam Lolwe FM was approved.');
  await page.getByText('The applicant got no mail.').waitFor();
  await checkPage(page);
  expect(await specOf(name)).toMatchObject({
    state: 'Active',
    models: ['kikuyu'],
    limits: { concurrentSessions: 4 },
    grants: [{ id: 'welcome', audioSeconds: 5400 }],
  });
  expect(errorsOf(page)).toEqual([]);
});

test('an administrator declines an application with a reason', async () => {
  const name = await apply('Spam Ltd');
  const page = await signIn();
  await page.getByRole('button', { name: 'Decline Spam Ltd' }).click();
  await page.getByLabel('Reason').fill('Please describe the use.');
  await checkPage(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
  await focusedNotice(page, 'Spam Ltd was declined.');
  const { body } = await console_.call('GET', `/admin/v1/tenants/${name}`);
  expect(body).toMatchObject({ decline_reason: 'Please describe the use.', spec: { state: 'Declined' } });
});

test('the page Applications shortens a long application, and shows it in full on request', async () => {
  await apply('Long Story', `${'All about our radio. '.repeat(180)}The end.`);
  const page = await signIn();
  const row = page.getByRole('row').filter({ hasText: 'Long Story' });
  await row.waitFor();
  const shortened = (await row.boundingBox())?.height ?? 0;
  expect(shortened).toBeLessThan(300);
  await checkPage(page);
  await row.getByRole('button', { name: 'Show all', expanded: false }).click();
  await row.getByRole('button', { name: 'Show less', expanded: true }).waitFor();
  expect((await row.boundingBox())?.height).toBeGreaterThan(shortened);
});

test('on the page of a tenant, an administrator approves its declined application and allows all models', async () => {
  const name = await apply('Second Chance');
  await console_.call('PATCH', `/admin/v1/tenants/${name}`, { body: { models: ['kikuyu'] } });
  expect(await specOf(name)).toMatchObject({ models: ['kikuyu'] });
  await console_.call('POST', `/admin/v1/applications/${name}/decline`, { body: { reason: 'Too early.' } });
  const page = await signIn(`/tenants/${name}?tab=access`);
  await page.getByText('The application was declined. You can still approve it.').waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'Approve' }).click();
  const dialog = page.getByRole('dialog', { name: 'Approve Second Chance' });
  await dialog.getByLabel('Initial credit in minutes').fill('5');
  await dialog.getByLabel('Models').selectOption('All models');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await focusedNotice(page, 'Second Chance was approved.');
  // The tenant can now be suspended instead.
  await page.getByRole('button', { name: 'Suspend tenant' }).waitFor();
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  const grants = [{ id: 'welcome', audioSeconds: 300 }];
  expect(await specOf(name)).toMatchObject({ state: 'Active', models: ['*'], grants });
});

test('the page Tenants finds tenants by a part of their name and by status', async () => {
  await console_.createTenant('find-me');
  await console_.createTenant('suspended-one', { state: 'Suspended' });
  const page = await signIn('/tenants');
  await page.getByRole('link', { name: 'find-me' }).waitFor();
  await checkPage(page);
  await page.getByLabel('Name, organisation or e-mail address').fill('FIND');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('link', { name: 'suspended-one' }).waitFor({ state: 'detached' });
  expect(page.url()).toContain('search=FIND');
  await page.getByLabel('Status').selectOption('Suspended');
  await page.getByText('No tenant matches').waitFor();
  await checkPage(page);
  await page.getByRole('link', { name: 'Clear the search' }).click();
  await page.getByRole('link', { name: 'suspended-one' }).waitFor();
});

test(
  'every tab of a tenant follows the accessibility rules, and the audit log records which data of the tenant was viewed',
  async () => {
    await console_.createTenant('tabs');
    const key = await console_.call('POST', '/admin/v1/keys', { body: { tenant: 'tabs', name: 'production' } });
    const page = await signIn('/tenants/tabs');
    const tabs = ['Overview', 'Keys', 'Usage', 'Sessions', 'Refused requests', 'Limits and budget', 'Credit'];
    for (const tab of [...tabs, 'Access and removal']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
      await checkPage(page);
    }
    await page.getByRole('tab', { name: 'Keys' }).click();
    await page.getByText('production').waitFor();
    await completeSession(console_.ledger, 'tabs', { audioMs: 1000, keyId: key.body.key_id as string });
    await page.getByRole('tab', { name: 'Sessions' }).click();
    await page.getByRole('cell', { name: 'production (…' }).waitFor();
    const { body } = await console_.call('GET', '/admin/v1/audit?tenant=tabs&action=tenant.view');
    const views = new Set(body.data.map(({ detail }: { detail: { view: string } }) => detail.view));
    expect([...views].sort()).toEqual(['keys', 'refusals', 'sessions', 'tenant', 'usage']);
    expect(errorsOf(page)).toEqual([]);
  },
  LONG_TEST_MS,
);

test('an administrator changes limits, budget, priority and models of a tenant', async () => {
  await console_.ledger.catalogue.replace([
    { id: 'kikuyu', language: 'Kikuyu', languageCode: 'ki', maxAudioSeconds: 300, maxWaitSeconds: 60 },
  ]);
  await console_.createTenant('limited');
  const page = await signIn('/tenants/limited?tab=limits');
  await page.getByLabel('Sessions at the same time').fill('7');
  await page.getByLabel('Monthly budget in minutes of audio').fill('60');
  await page.getByLabel('Priority in the queue').selectOption('High');
  await page.getByLabel('Models').fill('kikuyu, luo');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Saved.').first().waitFor();
  await checkPage(page);
  expect(await specOf('limited')).toMatchObject({
    limits: { concurrentSessions: 7 },
    budget: { monthlyAudioSeconds: 3600 },
    priority: 'high',
    models: ['kikuyu', 'luo'],
  });
  await page.getByText('The tenant may use models that do not exist: luo.').waitFor();
  await page.getByLabel('Monthly budget in minutes of audio').fill('0.001');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('The amount is less than one second of audio.').waitFor();
  await page.getByLabel('Monthly budget in minutes of audio').fill('');
  await page.getByLabel('Models').fill('NOT A NAME');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('alert').getByText('models').waitFor();
  await checkPage(page);
});

test('two administrators who have opened the same tenant can change different limits, and both changes are kept', async () => {
  await console_.createTenant('two-tabs');
  const pages = [await signIn('/tenants/two-tabs?tab=limits'), await signIn('/tenants/two-tabs?tab=limits')];
  const labels = ['Requests per minute', 'New sessions per minute'];
  for (const [index, page] of pages.entries()) await page.getByLabel(labels[index] ?? '').waitFor();
  for (const [index, page] of pages.entries()) {
    await page.getByLabel(labels[index] ?? '').fill('77');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').first().waitFor();
  }
  expect((await specOf('two-tabs')).limits).toMatchObject({ requestsPerMinute: 77, sessionsPerMinute: 77 });
  // The second page shows the value that the first page saved. It does not send this value with its own changes.
  expect(await pages[1]?.getByLabel('Requests per minute').inputValue()).toBe('77');
  await pages[1]?.getByRole('button', { name: 'Save changes' }).click();
  await pages[1]?.getByText('Nothing was changed.').waitFor();
});

test('an administrator grants credit and removes a part of it, each with a note', async () => {
  await console_.createTenant('granted', { grants: [] });
  const page = await signIn('/tenants/granted?tab=grants');
  for (const [minutes, note] of [
    ['30', 'Trial'],
    ['-10', 'Granted too much'],
  ] as const) {
    await page.getByRole('button', { name: 'Grant credit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Grant credit to granted' });
    await dialog.getByLabel('Minutes of audio').fill(minutes);
    await dialog.getByLabel('Note').fill(note);
    await checkPage(page);
    await dialog.getByRole('button', { name: 'Grant credit' }).click();
    await page.getByRole('cell', { name: note }).waitFor();
  }
  await page.getByText('10 min removed from granted.').first().waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'Grant credit' }).click();
  const dialog = page.getByRole('dialog');
  for (const [minutes, problem] of [
    ['0', 'The amount is less than one second of audio.'],
    ['16666667', 'Enter at most 16,666,666 minutes.'],
    ['0.001', 'The amount is less than one second of audio.'],
  ] as const) {
    await dialog.getByLabel('Minutes of audio').fill(minutes);
    await dialog.getByRole('button', { name: 'Grant credit' }).click();
    await dialog.getByText(problem).waitFor();
  }
  await checkPage(page);
  expect((await specOf('granted')).grants).toMatchObject([
    { audioSeconds: 1800, note: 'Trial' },
    { audioSeconds: -600, note: 'Granted too much' },
  ]);
});

test('a grant of the requested credit removes the request from the page of credit requests', async () => {
  const developer = await browser.signIn(await console_.createTenant('asking'));
  await developer.evaluate(
    `fetch('/console/v1/credit-requests', { method: 'POST',
      headers: { 'content-type': 'application/json', 'x-svc-asr-console': '1' },
      body: JSON.stringify({ message: 'We broadcast the elections.', audio_seconds: 7200 }) })`,
  );
  const page = await signIn('/credit-requests');
  await page.getByText('We broadcast the elections.').waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'Grant credit to asking' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('Minutes of audio').inputValue()).toBe('120');
  await delayEffects(page);
  await dialog.getByRole('button', { name: 'Grant credit' }).click();
  await page.getByText('No credit requests').waitFor();
  await waitForEffects(page);
  await focusedNotice(page, '2 h granted to asking.');
  expect((await specOf('asking')).grants).toMatchObject([{ id: 'welcome' }, { audioSeconds: 7200 }]);
});

test('an administrator suspends and resumes a tenant', async () => {
  await console_.createTenant('switch');
  const page = await signIn('/tenants/switch?tab=access');
  for (const [action, state] of [
    ['Suspend tenant', 'Suspended'],
    ['Resume tenant', 'Active'],
  ] as const) {
    await page.getByRole('button', { name: action }).click();
    await checkPage(page);
    await page.getByRole('dialog').getByRole('button', { name: action }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await specOf('switch')).state).toBe(state);
  }
});

test('an administrator creates a private link without a confirmation, and replaces it only after a confirmation', async () => {
  await console_.call('PUT', '/admin/v1/tenants/linked', { body: { displayName: 'linked', state: 'Active' } });
  const page = await signIn('/tenants/linked?tab=access');
  await page.getByRole('button', { name: 'Create private link' }).click();
  const shown = page.getByLabel('Private link of the tenant', { exact: true });
  const first = await shown.innerText();
  await page.getByText('Append it to the address of the developer console').waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Replace private link' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replace the private link of linked?' });
  await checkPage(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  const developer = await browser.signIn(`${console_.pageUrl}${first}`);
  await page.getByRole('button', { name: 'Replace private link' }).click();
  await dialog.getByRole('button', { name: 'Replace private link' }).click();
  const second = await shown.innerText();
  await developer.reload();
  await developer.getByLabel('Private link').waitFor();
  await browser.signIn(`${console_.pageUrl}${second}`);
});

test('a tenant can be purged only after the administrator has typed its name', async () => {
  await console_.createTenant('purged');
  const { requests } = console_.ledger.purge;
  const answering = setInterval(() => {
    void (async () => {
      for (const request of await requests.list()) {
        await requests.answer(request, { liveSessions: 0, removed: {}, remaining: { account_keys: 0 } });
      }
    })();
  }, 20);
  try {
    const page = await signIn('/tenants/purged?tab=access');
    await page.getByRole('button', { name: 'Purge tenant' }).click();
    const dialog = page.getByRole('dialog', { name: 'Purge purged?' });
    await dialog.getByText('tenant resources').waitFor();
    await checkPage(page);
    const purge = dialog.getByRole('button', { name: 'Purge tenant' });
    await dialog.getByLabel('Type purged to confirm').fill('purge');
    expect(await purge.isDisabled()).toBe(true);
    await dialog.getByLabel('Type purged to confirm').fill('purged');
    await purge.click();
    await focusedNotice(page, 'The tenant was purged');
    await checkPage(page);
    expect((await console_.call('GET', '/admin/v1/tenants/purged')).status).toBe(404);
  } finally {
    clearInterval(answering);
  }
});

test('a tenant can be deleted only after the administrator has typed its name', async () => {
  await console_.createTenant('deleted');
  const page = await signIn('/tenants/deleted?tab=access');
  await page.getByRole('button', { name: 'Delete tenant' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete deleted?' });
  expect(await dialog.getByRole('button', { name: 'Delete tenant' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Type deleted to confirm').fill('deleted');
  await dialog.getByRole('button', { name: 'Delete tenant' }).click();
  await heading(page, 'Tenants');
  expect((await console_.call('GET', '/admin/v1/tenants/deleted')).status).toBe(404);
});

test('the page Models shows the workers, and the page Health shows the gateways and the models', async () => {
  const { ledger } = console_;
  await ledger.catalogue.replace([
    { id: 'luo', language: 'Dholuo', languageCode: 'luo', maxAudioSeconds: 300, maxWaitSeconds: 60 },
  ]);
  // Without renewals, the leases of the gateway and the worker would end during this test on a busy machine.
  const gateway = await ledger.gateways.join('gateway-1');
  await ledger.workers.register('luo', { id: 'worker-1', address: 'ws://w', revision: 'r1', slots: 1 });
  const renew = async () => {
    await ledger.workers.renew('luo', 'worker-1');
    await ledger.gateways.renew(gateway);
  };
  const renewing = setInterval(() => void renew().catch(() => undefined), 1000);
  for (let streams = 0; streams < 2; streams++) {
    await ledger.pools.place('luo', { sessionId: randomUUID(), tenant: 'acme' });
  }
  const page = await signIn('/models');
  await page.getByRole('cell', { name: 'worker-1' }).waitFor();
  await page.getByRole('cell', { name: 'Ready' }).waitFor();
  await checkPage(page);
  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByRole('cell', { name: 'gateway-1' }).waitFor();
  await page.getByRole('cell', { name: 'luo' }).waitFor();
  await page.getByText('Holds no lease: resources are in files').waitFor();
  await checkPage(page);
  clearInterval(renewing);
  expect(errorsOf(page)).toEqual([]);
});

test('the page of the audit log filters entries by tenant and action', async () => {
  await console_.createTenant('audited');
  await console_.call('POST', '/admin/v1/tenants/audited/grants', { body: { id: 'may', audio_seconds: 60 } });
  const page = await signIn('/audit');
  await page.getByRole('cell', { name: 'Administrator signed in' }).first().waitFor();
  await checkPage(page);
  await page.getByLabel('Tenant').fill('audited');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('cell', { name: 'Administrator signed in' }).first().waitFor({ state: 'detached' });
  await page.getByLabel('Action').selectOption('Credit granted');
  // The head of the table and one entry remain.
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
  await page.getByText('grant: may, audio seconds: 60').waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
});

test('after "Show more" has loaded the last audit entries, the focus moves to the text that says that all entries are shown', async () => {
  await console_.createTenant('busy');
  for (let count = 0; count < 51; count++) await console_.call('GET', '/admin/v1/tenants/busy');
  const page = await signIn('/audit?tenant=busy&action=tenant.view');
  await page.getByRole('button', { name: 'Show more' }).click();
  await waitForFocus(page, 'All entries are shown.');
  expect(await page.getByRole('row').count()).toBe(52);
  await checkPage(page);
});

test('while Redis is unavailable, limits can be saved on the admin page, and the pages that need Redis report the outage', async () => {
  const own = await startBrowserConsole({ KEY_ACTIVATION_TIMEOUT_MS: '0' }, { operator: false });
  await own.createTenant('outage');
  const spec = {
    language: 'Luo',
    languageCode: 'luo',
    artifact: { path: '/m' },
    worker: {},
    scaling: { min: 1, max: 3 },
  };
  const model = { apiVersion: 'asr.svc.dev/v1', kind: 'ASRModel', metadata: { name: 'luo' }, spec };
  writeFileSync(join(own.readFolder, 'model.yaml'), JSON.stringify(model));
  const page = await signIn('/tenants', TOKEN, own.adminUrl);
  await heading(page, 'Tenants');
  await own.redis.kill();
  await page.goto(`${own.adminUrl}/tenants/outage`);
  await page.getByText('Redis is unavailable').first().waitFor();
  await checkPage(page);
  await page.getByRole('tab', { name: 'Limits and budget' }).click();
  await page.getByLabel('Sessions at the same time').fill('3');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Saved.').first().waitFor();
  for (const [link, text] of [
    ['Health', 'Redis'],
    ['Models', 'Redis is unavailable'],
    ['Models', 'Unknown'],
    ['Audit log', 'This is temporarily unavailable.'],
  ] as const) {
    await page.getByRole('link', { name: link }).click();
    await page.getByText(text).first().waitFor();
    await checkPage(page);
  }
  await own.stop();
});

test('the page of an unknown tenant has a link to the list of tenants', async () => {
  const page = await signIn('/tenants/nobody');
  await page.getByText('There is no tenant with this name.').waitFor();
  await checkPage(page);
  await page.getByRole('link', { name: 'Go to the tenants' }).click();
  await heading(page, 'Tenants');
});

test('an unknown address of the admin page shows "Page not found"', async () => {
  const page = await signIn('/nowhere');
  await heading(page, 'Page not found');
  await checkPage(page);
});
