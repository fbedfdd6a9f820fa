import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from './browser.ts';

/** Folder of the screenshots, which git ignores. Check them after a change of the pages. */
const FOLDER = fileURLToPath(new URL('../../../coverage/screenshots/', import.meta.url));
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

/**
 * Draws a page on a desktop and on a phone, in the light and the dark theme. Restores the size of the page afterwards.
 */
export async function drawVariants(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await page.locator('h1').waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  const before = page.viewportSize();
  for (const [device, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const image = await page.screenshot({ path: `${FOLDER}${name}-${device}-${colorScheme}.png` });
      // A page without content compresses to a few kilobytes.
      expect([name, image.length > 8000]).toEqual([name, true]);
    }
  }
  if (before !== null) await page.setViewportSize(before);
}
