import { APPLICANT, startUserEnvironment } from '../src/testing/users.ts';
import type { UserEnvironment } from '../src/testing/users.ts';
import type { Visitor } from '../src/testing/visitor.ts';
import { checkPage, errorsOf, startBrowser, waitForFocus } from './testing/browser.ts';
import type { Page, TestBrowser } from './testing/browser.ts';

let users: UserEnvironment;
let browser: TestBrowser;

beforeAll(async () => {
  [users, browser] = await Promise.all([
    startUserEnvironment({
      SIGN_IN_FAILURES_PER_MINUTE: '1000',
      OIDC_ADMIN_GROUPS: 'asr-admins=administrator, asr-auditors=auditor',
      OIDC_SCOPES: 'openid profile email groups',
    }),
    startBrowser(),
  ]);
});

afterAll(async () => {
  await browser.close();
  await users.stop();
});

/** Opens a path of the console with the session of a visitor. */
async function openAs(visitor: Visitor, path: string): Promise<Page> {
  const page = await browser.open('about:blank');
  const [name = '', value = ''] = visitor.cookie().split(/=(.*)/s);
  await page.context().addCookies([{ name, value, url: users.pageUrl, httpOnly: true, sameSite: 'Strict' }]);
  await page.goto(`${users.pageUrl}${path}`);
  return page;
}

async function signInAtProvider(page: Page, subject: string): Promise<void> {
  await page.getByLabel('Subject').fill(subject);
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('a user whom an owner invites by link signs in, accepts the invitation and sees the account with the offered role', async () => {
  const { owner } = await users.createTeam();
  const page = await openAs(owner, '/team');
  await page.getByRole('cell', { name: 'You' }).waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
  await checkPage(page);
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const link = (await page.getByLabel('Invitation link', { exact: true }).textContent()) ?? '';
  expect(link).toContain('/#invite=');
  await waitForFocus(page, 'Copy: Invitation link');
  await checkPage(page);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Withdraw: ada@example.org' }).waitFor();

  const invited = await browser.open(link);
  await invited.getByRole('heading', { level: 1, name: 'You are invited' }).waitFor();
  expect(invited.url()).toBe(`${users.pageUrl}/`);
  await invited.getByText('invites you to the account Acme Radio. Your role will be Viewer.').waitFor();
  await checkPage(invited);
  await invited.getByRole('link', { name: 'Sign in' }).click();
  await signInAtProvider(invited, users.addUser({ name: 'Ada' }));
  await invited.getByRole('button', { name: 'Accept invitation' }).click();
  await invited.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await invited.getByRole('link', { name: 'Team' }).click();
  await invited.getByRole('cell', { name: 'Ada' }).waitFor();
  expect(await invited.getByRole('button', { name: 'Invite member' }).count()).toBe(0);
  await checkPage(invited);
  expect([...errorsOf(page), ...errorsOf(invited)]).toEqual([]);
});

test('an owner changes the role of a member, removes the member, and cannot remove the last owner', async () => {
  const { owner } = await users.createTeam();
  const member = await users.join(owner, 'viewer');
  const { name } = (await member.call('GET', 'session')).body.person;
  const own = (await owner.call('GET', 'session')).body.person.name;
  const page = await openAs(owner, '/team');
  await page.getByRole('button', { name: `Change role: ${name}` }).click();
  await page.getByRole('dialog').getByLabel('Role').selectOption('developer');
  await checkPage(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'Developer' }).waitFor();

  await page.getByRole('button', { name: `Remove: ${own}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The member is the last owner of the tenant.').waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: `Remove: ${name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: `Remove: ${name}` }).waitFor({ state: 'detached' });
  await waitForFocus(page, 'Team');
  expect((await member.call('GET', 'account')).status).toBe(403);
});

/** Creates a user who owns one tenant and is a member of another one. Each tenant has a key with its own name. */
async function joinTwoTeams() {
  const [own, other] = [await users.createTeam(), await users.createTeam()];
  await own.owner.call('POST', 'keys', { name: 'own-key' });
  await other.owner.call('POST', 'keys', { name: 'other-key' });
  const { token } = (await other.owner.call('POST', 'invitations', { role: 'developer' })).body;
  await own.owner.call('POST', 'invitations/accept', { token });
  return { user: own.owner, own: own.tenant, other: other.tenant, otherOwner: other.owner };
}

const keyRow = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

const keyNames = async (visitor: Visitor): Promise<string[]> =>
  (await visitor.call('GET', 'keys')).body.data.map(({ name }: { name: string }) => name);

test('a user who selects another account sees its keys, and a tab creates no key after another tab has switched the account', async () => {
  const { user, own, other, otherOwner } = await joinTwoTeams();
  const page = await openAs(user, '/keys');
  await keyRow(page, 'other-key').waitFor();
  await page.getByRole('combobox', { name: 'Account' }).selectOption(own);
  await keyRow(page, 'own-key').waitFor();
  expect(await keyRow(page, 'other-key').count()).toBe(0);
  await checkPage(page);

  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('misplaced');
  // This request stands for a switch to another tenant in another tab, which shares its cookie with this tab.
  await page.context().request.post(`${users.pageUrl}/console/v1/session/tenant`, {
    headers: { 'x-svc-asr-console': '1' },
    data: { tenant: other },
  });
  // The button is missing if the page has already noticed the switch and closed the dialog.
  await page.evaluate('document.querySelector("dialog button[type=submit]")?.click()');
  await page.getByText('This page now shows').waitFor();
  await keyRow(page, 'other-key').waitFor();
  await checkPage(page);
  expect(await page.getByRole('combobox', { name: 'Account' }).inputValue()).toBe(other);
  expect(await keyNames(otherOwner)).toEqual(['other-key']);
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(errorsOf(page)).toEqual([]);
});

test('a user who is removed from the selected account continues with another account', async () => {
  const { user, own, otherOwner } = await joinTwoTeams();
  const page = await openAs(user, '/keys');
  await keyRow(page, 'other-key').waitFor();
  const { data } = (await otherOwner.call('GET', 'members')).body;
  const { id } = data.find(({ role }: { role: string }) => role === 'developer');
  await otherOwner.call('DELETE', `members/${id}`);
  await page.reload();
  await keyRow(page, 'own-key').waitFor();
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByText(own).first().waitFor();
  expect(errorsOf(page)).toEqual([]);
});

test('the page of a withdrawn invitation shows why the invitation cannot be accepted', async () => {
  const { owner } = await users.createTeam();
  const { path, id } = (await owner.call('POST', 'invitations', { role: 'viewer' })).body;
  await owner.call('DELETE', `invitations/${id}`);
  const page = await openAs(await users.signIn(), path);
  await page.getByText('The invitation is not valid.').waitFor();
  expect(await page.getByRole('button', { name: 'Accept invitation' }).count()).toBe(0);
  await checkPage(page);
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.getByText('you are not a member of any account').waitFor();
});

test('a sign-in at the identity provider returns to the page that the user had opened', async () => {
  const subject = users.addUser({ groups: ['asr-admins'] });
  const owner = await users.signIn(subject);
  const { tenant } = (await owner.call('POST', 'applications', APPLICANT)).body as { tenant: string };
  await users.call('POST', `/admin/v1/applications/${tenant}/approve`, { body: {} });
  const page = await browser.open(`${users.pageUrl}/usage?by=key`);
  await page.getByRole('link', { name: 'Sign in with your account' }).click();
  await signInAtProvider(page, subject);
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  expect(page.url()).toBe(`${users.pageUrl}/usage?by=key`);
  await checkPage(page);
  const admin = await browser.open(`${users.adminUrl}/audit`);
  await admin.locator('a[href^="/admin/v1/sign-in/oidc"]').click();
  await signInAtProvider(admin, subject);
  await admin.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  expect(admin.url()).toBe(`${users.adminUrl}/audit`);
});

test('a sign-in that fails at the provider shows a message, and the error code is removed from the address', async () => {
  const page = await browser.open(`${users.pageUrl}/?sign_in_error=identity_provider_unavailable`);
  await page.getByText('The sign-in service is not available.').waitFor();
  expect(page.url()).toBe(`${users.pageUrl}/`);
  await checkPage(page);
  await page.goto(`${users.pageUrl}/console/v1/sign-in/callback?code=x&state=y`);
  await page.getByText('The sign-in took too long').waitFor();
});

test('a user who is in no administrator group sees on the admin page why the sign-in was refused', async () => {
  const page = await browser.open(`${users.adminUrl}/`);
  await page.locator('a[href="/admin/v1/sign-in/oidc"]').click();
  await signInAtProvider(page, users.addUser());
  await page.getByText('None of your groups has a role on this page.').waitFor();
  expect(page.url()).toBe(`${users.adminUrl}/`);
  await checkPage(page);
});

test('an auditor can read the admin page, which offers no buttons for changes', async () => {
  const { tenant } = await users.createTeam();
  await (await users.signIn()).call('POST', 'applications', APPLICANT);
  const page = await browser.open(`${users.adminUrl}/`);
  await page.locator('a[href="/admin/v1/sign-in/oidc"]').click();
  await signInAtProvider(page, users.addUser({ groups: ['asr-auditors'] }));
  await page.getByText('Auditor', { exact: true }).waitFor();
  await page.getByRole('row', { name: APPLICANT.use }).first().waitFor();
  await checkPage(page);
  const seen = new Set(await page.getByRole('button').allInnerTexts());
  for (const tab of ['limits', 'grants']) {
    await page.goto(`${users.adminUrl}/tenants/${tenant}?tab=${tab}`);
    await page.getByRole('tab', { selected: true }).waitFor();
    await checkPage(page);
    for (const text of await page.getByRole('button').allInnerTexts()) seen.add(text);
  }
  expect(await page.getByRole('tab', { name: 'Access and removal' }).count()).toBe(0);
  expect([...seen].filter((text) => text !== '')).toEqual(['Sign out']);
  expect(errorsOf(page)).toEqual([]);
});
