import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

// Whoever imports this is a test file, or is imported by one: what it made goes when its last test has ended.
afterAll(() => {
  for (const folder of made.splice(0))
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

/** Makes a folder that is removed after the tests of the file. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `svc-asr-${name}-`));
  made.push(folder);
  return folder;
}
