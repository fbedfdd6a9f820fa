import { randomUUID } from 'node:crypto';
import { checkPage, errorsOf, startBrowser, waitForFocus } from './testing/browser.ts';
import type { TestBrowser } from './testing/browser.ts';
import { startBrowserConsole } from './testing/console.ts';
import type { BrowserConsole } from './testing/console.ts';
import { completeSession } from './testing/sessions.ts';

let console_: BrowserConsole;
let browser: TestBrowser;

beforeAll(async () => {
  [console_, browser] = await Promise.all([startBrowserConsole(), startBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await console_.stop();
});

test('the page of a session shows how the session ended, and explains that the charge is rounded up to the second', async () => {
  const page = await browser.signIn(await console_.createTenant('rounded'));
  const id = await completeSession(console_.ledger, 'rounded', { audioMs: 8440 });
  await page.getByRole('link', { name: 'Sessions' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Closed by the client' });
  await row.getByText('8.44 s').waitFor();
  await row.getByText('9 s', { exact: true }).waitFor();
  await checkPage(page);
  await row.getByRole('link').click();
  await page.getByText(id).first().waitFor();
  await page.getByText('1000 · Normal end').waitFor();
  await page
    .getByText('The service accepted 8.44 s of audio. A session is charged in whole seconds, so it cost 9 s.')
    .waitFor();
  await page.getByText('+ 0.56 s').waitFor();
  await page.getByText('51 s', { exact: true }).waitFor();
  await checkPage(page);
  expect(errorsOf(page)).toEqual([]);
});

test('the filter of sessions is part of the address, and survives a reload', async () => {
  const page = await browser.signIn(await console_.createTenant('filtered'));
  await completeSession(console_.ledger, 'filtered', { audioMs: 1000 });
  await page.goto(`${console_.pageUrl}/sessions`);
  await page.getByRole('row').filter({ hasText: 'Closed by the client' }).waitFor();
  await page.getByLabel('Status').selectOption('Failed');
  await page.getByText('No session matches the filter').waitFor();
  expect(page.url()).toContain('state=failed');
  await checkPage(page);
  await page.reload();
  await page.getByText('No session matches the filter').waitFor();
  await page.getByRole('link', { name: 'Clear filter' }).click();
  await page.getByRole('row').filter({ hasText: 'Closed by the client' }).waitFor();
});

test('the page Sessions shows 25 sessions, and further sessions below them on request', async () => {
  const limits = { concurrentSessions: 100, sessionsPerMinute: 1000 };
  const page = await browser.signIn(await console_.createTenant('many', { limits }));
  for (let count = 0; count < 27; count++) await completeSession(console_.ledger, 'many', { audioMs: 1000 });
  await page.goto(`${console_.pageUrl}/sessions`);
  const rows = page.getByRole('row').filter({ hasText: 'Closed by the client' });
  await rows.first().waitFor();
  expect(await rows.count()).toBe(25);
  await page.getByRole('button', { name: 'Show more' }).click();
  await rows.nth(26).waitFor();
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  await waitForFocus(page, 'All sessions that are kept are shown.');
});

test('the page of a session reports a session of another tenant as not found', async () => {
  await console_.createTenant('owner');
  const id = await completeSession(console_.ledger, 'owner', { audioMs: 1000 });
  const page = await browser.signIn(await console_.createTenant('foreign'));
  await page.goto(`${console_.pageUrl}/sessions/${id}`);
  await page.getByRole('alert').filter({ hasText: 'session' }).waitFor();
  await checkPage(page);
});

test('the page of refused requests finds a request by its request ID and shows its error code', async () => {
  const page = await browser.signIn(await console_.createTenant('refused'));
  await page.goto(`${console_.pageUrl}/sessions`);
  await page.getByRole('link', { name: 'Refused requests' }).click();
  await page.getByText('Every request of the last 7 days was accepted.').waitFor();
  await checkPage(page);
  const [requestId, other] = [randomUUID(), randomUUID()];
  const refusal = { atMs: Date.now(), method: 'POST', path: '/v1/asr/sessions', keyId: null, model: null };
  const credit = { status: 402, code: 'insufficient_credits', message: undefined } as const;
  await console_.ledger.refusals.add('refused', [
    { ...refusal, ...credit, requestId },
    { ...refusal, ...credit, requestId: other },
  ]);
  await page.reload();
  await page.getByRole('row').filter({ hasText: other }).waitFor();
  await page.getByLabel('Request ID').fill(requestId);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('row').filter({ hasText: other }).waitFor({ state: 'detached' });
  await page.getByRole('row').filter({ hasText: requestId }).getByText('insufficient_credits').waitFor();
  await checkPage(page);
  await page.getByLabel('Request ID').fill(randomUUID());
  await page.keyboard.press('Enter');
  await page.getByText('No refused request has this ID').waitFor();
  await checkPage(page);
});
