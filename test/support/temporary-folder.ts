import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

// This module is imported by test files only. It deletes its folders when the last test of the file has ended.
afterAll(() => {
  for (const folder of folders.splice(0))
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

/** Creates a folder that is deleted after the tests of the file. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `svc-asr-${name}-`));
  folders.push(folder);
  return folder;
}
