import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHROMIUM } from '../../tools/install/programs.ts';

/** A headless browser that shows one page. */
export interface Browser {
  /** Temporary folder that the browser writes to. */
  readonly profile: string;
  /** Output of the browser, for failure messages. */
  output: () => string;
  stop: () => Promise<void>;
}

/** Returns the path of the installed Chromium. */
export function findChromium(): string {
  const program = CHROMIUM.find();
  if (program === undefined) throw new Error('Chromium is missing; `npm test` installs it');
  return program;
}

/** Opens a page in a new profile. */
export function openPage(url: string, options: readonly string[] = []): Browser {
  const program = findChromium();
  const profile = mkdtempSync(join(tmpdir(), 'svc-asr-browser-'));
  const child = spawn(
    program,
    [
      // Chromium cannot use its sandbox as root, the usual user in containers. The tests open only pages of this
      // project.
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
