import { readFileSync } from 'node:fs';
import { checkPage, errorsOf, startBrowser } from './testing/browser.ts';
import type { TestBrowser } from './testing/browser.ts';
import { startBrowserConsole } from './testing/console.ts';
import type { BrowserConsole } from './testing/console.ts';
import { completeSession } from './testing/sessions.ts';

const [KIKUYU, DHOLUO] = ['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1'];
let console_: BrowserConsole;
let browser: TestBrowser;

beforeAll(async () => {
  [console_, browser] = await Promise.all([startBrowserConsole(), startBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await console_.stop();
});

test('the page Usage shows usage by model and by key, as a chart and as a table, and offers a download as CSV', async () => {
  const page = await browser.signIn(await console_.createTenant('usage'));
  const { body: created } = await console_.call('POST', '/admin/v1/keys', { body: { tenant: 'usage', name: 'radio' } });
  const keyId = String(created.key_id);
  await completeSession(console_.ledger, 'usage', { audioMs: 8440, keyId, model: KIKUYU });
  await completeSession(console_.ledger, 'usage', { audioMs: 60_000, keyId, model: KIKUYU });
  await completeSession(console_.ledger, 'usage', { audioMs: 5000, model: DHOLUO });
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('heading', { name: '1 min 14 s charged in 3 sessions' }).waitFor();
  const table = page.getByRole('table', { name: 'Usage' });
  await table.getByRole('row', { name: `${KIKUYU} 2 1 min 8 s 1 min 9 s` }).waitFor();
  await table.getByRole('row', { name: `${DHOLUO} 1 5 s 5 s` }).waitFor();
  await page.getByRole('img', { name: /^Charged audio per day/ }).waitFor();
  await page.getByText('Each session is charged in whole seconds.').waitFor();
  await page.getByText('Values of each day').click();
  await page.getByRole('table', { name: 'Values of each day' }).getByText('1 min 14 s').waitFor();
  await checkPage(page);

  await page.getByRole('radio', { name: 'Key' }).check();
  await table.getByRole('row', { name: /^radio \(….{4}\) 2/ }).waitFor();
  expect(page.url()).toContain('by=key');
  await checkPage(page);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^usage-usage-20[\d-]{8}-20[\d-]{8}\.csv$/);
  const csv = readFileSync(await download.path(), 'utf8');
  expect(csv).toMatch(new RegExp(`^20[\\d-]{8},${KIKUYU},${keyId},`, 'm'));
  expect(errorsOf(page)).toEqual([]);
});

test('the page Usage keeps the selected range in its address, and explains an invalid range', async () => {
  const page = await browser.signIn(await console_.createTenant('range'));
  await page.goto(`${console_.pageUrl}/usage`);
  await page.getByText('No usage in this range').waitFor();
  await page.getByRole('radio', { name: '90 days' }).check();
  await page.waitForURL(/days=90/);
  await page.getByRole('radio', { name: 'Custom' }).check();
  await page.getByLabel('From').fill('');
  await page.getByRole('alert').filter({ hasText: 'Choose the first day.' }).waitFor();
  await page.getByLabel('From').fill('2026-01-05');
  await page.getByLabel('To', { exact: true }).fill('2026-01-04');
  await page.getByRole('alert').filter({ hasText: 'must not be after' }).waitFor();
  await checkPage(page);
  await page.getByLabel('To', { exact: true }).fill('2026-01-06');
  await page.waitForURL(/from=2026-01-05&to=2026-01-06/);
  await page.reload();
  expect(await page.getByLabel('From').inputValue()).toBe('2026-01-05');
  await checkPage(page);
});
