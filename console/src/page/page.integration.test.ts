import { openBrowser } from '../../../test/support/driven-browser.ts';
import type { Page } from '../../../test/support/driven-browser.ts';
import { TOKEN } from '../testing/console.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';

let console_: TestEnvironment;
let page: Page;

beforeAll(async () => {
  console_ = await startTestEnvironment({ operator: true, env: { EXAMPLE_CA_FILE: '/my home/ca.crt' } });
  page = await openBrowser();
});

afterAll(async () => {
  await page.close();
  await console_.stop();
});

/** True if the button can be clicked without scrolling to the side. */
const REVOKE_IS_VISIBLE = `(() => {
  const revoke = [...document.querySelectorAll('#keys button')].find((each) => each.innerText === 'Revoke');
  const { left, right } = revoke.getBoundingClientRect();
  const section = document.querySelector('#keys').getBoundingClientRect();
  const isComplete = document.documentElement.scrollWidth <= innerWidth;
  return isComplete && left >= section.left && right <= section.right;
})()`;

const sees = (text: string) => page.until(`document.body.innerText.includes(${JSON.stringify(text)})`);

test('the console pages lead a developer from the waitlist through approval to a key that is created, rotated and revoked', async () => {
  await page.open(`${console_.pageUrl}/`);
  await page.fill('Your name', 'Achieng');
  await page.fill('Email', 'achieng@example.org');
  await page.fill('Organisation', 'Nam <b>Lolwe</b> FM');
  await page.fill('What do you want', 'Captions for radio');
  await page.click('Join waitlist');
  await sees('Your private link');
  const link = String(await page.evaluate("document.querySelector('.shown-once').innerText"));
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#nam-b-lolwe-b-fm-/);
  await sees('You are on the waitlist');
  await page.click('Done');
  await page.until("document.querySelector('.shown-once') === null");
  // The organisation's markup is shown as text.
  expect(await page.evaluate("document.querySelector('#who b')")).toBeNull();

  await page.open(`${console_.adminUrl}/`);
  await page.fill('Admin token', 'wrong');
  await page.click('Sign in');
  await sees('The admin token is not valid');
  await page.fill('Admin token', TOKEN);
  await page.click('Sign in');
  await sees('Captions for radio');
  await page.fill('Initial credit', '120');
  await page.click('Approve');
  await sees('No pending applications.');

  await page.open('about:blank');
  await page.open(link);
  await sees('2 min 0 s');
  expect(await page.evaluate('location.href')).toBe(`${console_.pageUrl}/`);
  await page.fill('Name', 'production');
  await page.evaluate('document.querySelector(\'option[value="usage:read"]\').selected = true');
  await page.fill('Models', 'm1, m2');
  await page.click('Create key');
  await sees('It cannot be shown again');
  const key = String(await page.evaluate("document.querySelector('#new-key .shown-once').innerText"));
  const { body } = await console_.call('GET', '/admin/v1/keys');
  const limits = { scopes: ['usage:read'], models: ['m1', 'm2'] };
  expect(body.data).toMatchObject([{ name: 'production', last_four: key.slice(-4), ...limits }]);

  await page.open('about:blank');
  await page.open(`${console_.pageUrl}/`);
  await sees(key.slice(-4));
  expect(await page.evaluate('document.body.innerText')).not.toContain(key);
  for (const width of [1440, 1280, 1024, 820, 390]) {
    await page.resize(width, 900);
    expect([width, await page.evaluate(REVOKE_IS_VISIBLE)]).toEqual([width, true]);
  }
  await page.resize(1280, 900);
  expect(await page.evaluate("document.querySelector('#quickstart').innerText")).toContain(
    "curl --cacert '/my home/ca.crt' https://localhost:8443/v1/models\n",
  );
  await page.click('Rotate');
  await page.until("document.querySelectorAll('#keys tbody tr').length === 2");
  // The new key may do no more than the one that it replaces.
  expect((await console_.call('GET', '/admin/v1/keys')).body.data).toMatchObject([limits, limits]);
  const replaced = String(await page.evaluate("document.querySelector('#new-key .shown-once').innerText"));
  await page.click('Revoke');
  await page.until("document.querySelectorAll('#keys tbody tr').length === 1");
  // The new key stays visible until the user clicks Done, even while other keys are revoked.
  expect(await page.evaluate("document.querySelector('#new-key .shown-once').innerText")).toBe(replaced);
  await page.click('Done');
  await page.click('Revoke');
  await page.until("document.querySelector('#keys').innerText.includes('No API keys yet.')");
  expect((await console_.call('GET', '/admin/v1/keys')).body.data).toEqual([]);
  await page.click('Renew link');
  await page.until("document.querySelector('#private-link .shown-once') !== null");
  const renewed = String(await page.evaluate("document.querySelector('#private-link .shown-once').innerText"));
  expect(renewed).not.toBe(link);
  await page.click('Done');
  await page.click('Sign out');
  await sees('Join the waitlist');
  await page.open('about:blank');
  await page.open(renewed);
  await sees('Your link expires on');
  await page.evaluate('window.confirm = () => true');
  await page.click('Revoke link');
  await sees('Join the waitlist');
  await page.open('about:blank');
  await page.open(renewed);
  await sees('The private link is not valid');
  // The browser logs the 401 of the signed-out page. Scripts and the content security policy must cause no messages.
  expect(page.errors().filter((text) => !text.includes('"source":"network"'))).toEqual([]);
});

test('the console links to the documentation of the API', async () => {
  const { status, headers } = await fetch(`${console_.pageUrl}/docs`, { redirect: 'manual' });
  expect([status, headers.get('location')]).toEqual([302, 'https://localhost:8443/docs']);
  await page.open(`${console_.pageUrl}/`);
  expect(await page.evaluate("document.querySelector('header a').href")).toBe(`${console_.pageUrl}/docs`);
});

test('the console page shows an error and the sign-in form when a private link is not valid', async () => {
  await page.open('about:blank');
  await page.open(`${console_.pageUrl}/#acme.${'x'.repeat(32)}`);
  await sees('The private link is not valid');
  await sees('Join the waitlist');
});
