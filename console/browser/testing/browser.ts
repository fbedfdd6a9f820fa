import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { findChromium } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { endAfterFile } from '../../../test/support/leftovers.ts';

export type { Page } from 'playwright-core';

/** Time limit for a change of a page. */
const WAIT_MS = 60_000;
/** Width of the narrowest supported screen. */
const NARROW = 320;
/** Rule of axe that takes most of the time of a check. */
const CONTRAST = 'color-contrast';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A browser whose pages collect their errors. */
export interface TestBrowser {
  /** Opens a page in a profile of its own. */
  open: (url: string, options?: BrowserContextOptions) => Promise<Page>;
  /** Opens a private link, and waits for the overview. */
  signIn: (link: string, options?: BrowserContextOptions) => Promise<Page>;
  close: () => Promise<void>;
}

/** Starts Chromium with additional command-line options. */
export async function startBrowser(options: readonly string[] = []): Promise<TestBrowser> {
  // Chromium cannot use its sandbox if it runs as root, as in containers. The tests open only our own pages.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...options];
  const browser: Browser = await chromium.launch({ executablePath: findChromium(), args });
  const close = () => browser.close();
  endAfterFile(close);
  async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-KE', viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    collectErrors(page);
    await page.goto(url);
    return page;
  }
  return {
    open,
    signIn: async (link, options) => {
      const page = await open(link, options);
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      return page;
    },
    close,
  };
}

const errors = new WeakMap<Page, string[]>();

function collectErrors(page: Page): void {
  const found: string[] = [];
  errors.set(page, found);
  page.on('pageerror', (error) => found.push(error.message));
  page.on('console', (message) => {
    // The browser logs each response with an error status. These messages are skipped, because some tests expect such
    // responses.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) found.push(message.text());
  });
  page.on('response', (response) => {
    if (response.status() === 404 && !response.url().includes('/console/v1/')) found.push(`404 ${response.url()}`);
  });
}

/** Returns script errors, violations of the content security policy, and files that were not found. */
export function errorsOf(page: Page): readonly string[] {
  return errors.get(page) ?? [];
}

/**
 * Checks the rules that every page must follow in every state. The page must have one h1, and nothing may scroll
 * sideways on a narrow screen. The page must violate no accessibility rule of axe, in the light and in the dark theme.
 */
export async function checkPage(page: Page): Promise<void> {
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  expect(await page.locator('h1').count()).toBe(1);
  const size = page.viewportSize();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  expect([page.url(), await violationsOf(page)]).toEqual([page.url(), []]);
  // The dark theme differs only in its colours, so only the contrast is checked again. The contrast does not depend on
  // the width.
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  expect([page.url(), await violationsOf(page, { runOnly: [CONTRAST] })]).toEqual([page.url(), []]);
  await page.setViewportSize({ width: NARROW, height: 640 });
  const withoutContrast = { rules: { [CONTRAST]: { enabled: false } } };
  expect([page.url(), await violationsOf(page, withoutContrast)]).toEqual([page.url(), []]);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect([page.url(), overflow]).toEqual([page.url(), 0]);
  if (size !== null) await page.setViewportSize(size);
}

/**
 * Runs axe in the page and returns only the violations, because the transfer of all results would take most of the
 * time.
 */
async function violationsOf(page: Page, options: object = {}): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  // Preloading is off. Only two rules need it: an experimental one, and one about recordings, which no page contains.
  const fixed = { resultTypes: ['violations'], preload: false };
  const run = `axe.run(${JSON.stringify({ ...fixed, ...options })}).then(({ violations }) => violations)`;
  const violations = (await page.evaluate(run)) as {
    id: string;
    nodes: { html: string; failureSummary: string }[];
  }[];
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('; ')}`,
  );
}

const FOCUSED_TEXT =
  '(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.innerText ?? "").trim()';

/** Waits until the element with this accessible text has the focus. The page moves the focus after it has rendered. */
export async function waitForFocus(page: Page, text: string): Promise<void> {
  await waitForValue(page, FOCUSED_TEXT, text);
}

/**
 * Follows a link if the page shows it. If the session was ended elsewhere, a refused request may already have replaced
 * the page with the sign-in page.
 */
export async function followIfShown(page: Page, path: string): Promise<void> {
  await page.evaluate(`document.querySelector('a[href=${JSON.stringify(path)}]')?.click()`);
}

/** Waits until the document has this title. The page sets it after it has rendered. */
export async function waitForTitle(page: Page, title: string): Promise<void> {
  await waitForValue(page, 'document.title', title);
}

/** Waits until an expression has the given value. `waitForFunction` needs `eval`, which the pages do not allow. */
async function waitForValue(page: Page, expression: string, value: string): Promise<void> {
  let found: unknown;
  const isThere = async () => (found = await page.evaluate(expression)) === value;
  await eventually(value, WAIT_MS, isThere).catch((cause: unknown) => {
    throw new Error(`${expression} is ${JSON.stringify(found)} instead of ${JSON.stringify(value)}`, { cause });
  });
}
