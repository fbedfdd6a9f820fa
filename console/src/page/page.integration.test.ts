import { openBrowser } from '../../../test/support/driven-browser.ts';
import type { Page } from '../../../test/support/driven-browser.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startTestConsole, TOKEN, untilReady } from '../testing/console.ts';
import { startTestOperator } from '../testing/operator.ts';

let redis: Awaited<ReturnType<typeof startRedis>>;
let console_: Awaited<ReturnType<typeof startTestConsole>>;
let operator: ReturnType<typeof startTestOperator>;
let page: Page;

beforeAll(async () => {
  redis = await startRedis();
  console_ = await startTestConsole(redis.url);
  await untilReady(console_);
  operator = startTestOperator(console_.ledger, [console_.folder]);
  page = await openBrowser();
}, 60_000);

afterAll(async () => {
  await page.close();
  await operator.stop();
  await console_.stop();
  await redis.stop();
});

const sees = (text: string) => page.until(`document.body.innerText.includes(${JSON.stringify(text)})`);

test('a developer joins, an administrator approves, the developer makes and revokes a key, all in a browser', async () => {
  await page.open(`${console_.pageUrl}/`);
  await page.fill('Your name', 'Achieng');
  await page.fill('E-mail', 'achieng@example.org');
  await page.fill('Organisation', 'Nam <b>Lolwe</b> FM');
  await page.fill('What you want', 'Captions for radio');
  await page.click('Join');
  await sees('Your private link');
  const link = String(await page.evaluate("document.querySelector('.shown-once').innerText"));
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#nam-b-lolwe-b-fm-/);
  await sees('You are on the waitlist');
  await page.click('I have kept it');
  await page.until("document.querySelector('.shown-once') === null");
  // Texts stay texts.
  expect(await page.evaluate("document.querySelector('#who b')")).toBeNull();

  await page.open(`${console_.adminUrl}/`);
  await page.fill('Token', 'wrong');
  await page.click('Enter');
  await sees('The admin token is not valid');
  await page.fill('Token', TOKEN);
  await page.click('Enter');
  await sees('Captions for radio');
  await page.fill('First grant', '120');
  await page.click('Approve');
  await sees('Nobody waits.');

  await page.open('about:blank');
  await page.open(link);
  await sees('2 min 0 s');
  expect(await page.evaluate('location.href')).toBe(`${console_.pageUrl}/`);
  await page.fill('Name', 'production');
  await page.click('Create the key');
  await sees('it cannot be shown again');
  const key = String(await page.evaluate("document.querySelector('#new-key .shown-once').innerText"));
  const { body } = await console_.call('GET', '/admin/v1/keys');
  expect(body.data).toMatchObject([{ name: 'production', last_four: key.slice(-4) }]);

  await page.open('about:blank');
  await page.open(`${console_.pageUrl}/`);
  await sees(key.slice(-4));
  expect(await page.evaluate('document.body.innerText')).not.toContain(key);
  await page.click('Replace');
  await page.until("document.querySelectorAll('#keys tbody tr').length === 2");
  const replaced = String(await page.evaluate("document.querySelector('#new-key .shown-once').innerText"));
  await page.click('Revoke');
  await page.until("document.querySelectorAll('#keys tbody tr').length === 1");
  // The new key stays in sight until it was kept, whatever is done meanwhile.
  expect(await page.evaluate("document.querySelector('#new-key .shown-once').innerText")).toBe(replaced);
  await page.click('I have kept it');
  await page.click('Revoke');
  await page.until("document.querySelector('#keys').innerText.includes('None yet.')");
  expect((await console_.call('GET', '/admin/v1/keys')).body.data).toEqual([]);
  await page.click('Sign out');
  await sees('Join the waitlist');
  // Of the network it may say that somebody was not signed in; of scripts and the policy nothing.
  expect(page.complaints().filter((text) => !text.includes('"source":"network"'))).toEqual([]);
}, 90_000);

test('a link that is no longer valid says so, and leaves the way in open', async () => {
  await page.open('about:blank');
  await page.open(`${console_.pageUrl}/#acme.${'x'.repeat(32)}`);
  await sees('The private link is not valid');
  await sees('Join the waitlist');
});
