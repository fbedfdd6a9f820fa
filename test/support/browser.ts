import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from '../../tools/install/chromium.ts';

/** A headless browser that shows one page. */
export interface Browser {
  /** Folder of its own, in which it writes what it has to tell. */
  readonly profile: string;
  /** What it wrote, for when a test fails. */
  output: () => string;
  stop: () => Promise<void>;
}

/** Opens a page in a fresh profile. */
export function openPage(url: string, options: readonly string[] = []): Browser {
  const program = findChromium();
  if (program === undefined) throw new Error('there is no Chromium: `npm test` installs it');
  const profile = mkdtempSync(join(tmpdir(), 'svc-asr-browser-'));
  const child = spawn(
    program,
    [
      // Root, as in containers, has no sandbox; the pages of tests are ours.
      ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      ...[`--user-data-dir=${profile}`, '--enable-logging=stderr', ...options, url],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    profile,
    output: () => output,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
