import { KUBERNETES_TIMEOUT_MS, borrowKubernetes } from '../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import { grantRules, readChartRules } from '../../test/support/kubernetes/grant.ts';
import { startRedis } from '../../test/support/redis.ts';
import { startTestConsole, untilReady } from '../src/testing/console.ts';
import type { TestConsole } from '../src/testing/console.ts';
import { checkPage, startBrowser } from './testing/browser.ts';
import type { TestBrowser } from './testing/browser.ts';

let kubernetes: Kubernetes;
let redis: Awaited<ReturnType<typeof startRedis>>;
let console_: TestConsole;
let browser: TestBrowser;

beforeAll(async () => {
  [kubernetes, redis, browser] = await Promise.all([
    borrowKubernetes({ controllers: true }),
    startRedis(),
    startBrowser(),
  ]);
  const namespace = await kubernetes.createNamespace();
  console_ = await startTestConsole(redis.url, {
    KUBERNETES: await grantRules(kubernetes, namespace, 'console', readChartRules('console')),
    NAMESPACE: namespace,
    KEY_ACTIVATION_TIMEOUT_MS: '0',
    CACHE_MS: '0',
  });
  await untilReady(console_);
}, KUBERNETES_TIMEOUT_MS);

afterAll(async () => {
  await browser.close();
  await console_.stop();
  await redis.stop();
  await kubernetes.stop();
}, KUBERNETES_TIMEOUT_MS);

test('while the API server is unavailable, the console page reports the outage and keeps the entered text, and a retry works afterwards', async () => {
  const page = await browser.open(`${console_.pageUrl}/`);
  await page.getByLabel('Your name').fill('Achieng');
  await page.getByLabel('Email').fill('achieng@example.org');
  await page.getByLabel('What do you want to build?').fill('Captions');
  await kubernetes.stopApiServer();
  try {
    await page.getByRole('button', { name: 'Join waitlist' }).click();
    await page.getByRole('alert').filter({ hasText: 'This is temporarily unavailable.' }).waitFor();
    expect(await page.getByLabel('Your name').inputValue()).toBe('Achieng');
    await checkPage(page);
  } finally {
    await kubernetes.startApiServer();
  }
  await page.getByRole('button', { name: 'Join waitlist' }).click();
  await page.getByRole('button', { name: 'I have saved the link' }).click();
  await page.getByRole('heading', { level: 1, name: 'You are on the waitlist' }).waitFor();
  await kubernetes.stopApiServer();
  try {
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'The console is not available' }).waitFor();
    await checkPage(page);
  } finally {
    await kubernetes.startApiServer();
  }
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'You are on the waitlist' }).waitFor();
}, 240_000);
