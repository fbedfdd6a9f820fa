import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolder } from './folder.ts';

const HOUR_MS = 3_600_000;
let parent: string;
beforeEach(() => (parent = mkdtempSync(join(tmpdir(), 'svc-asr-folder-'))));
afterEach(() => rmSync(parent, { recursive: true }));

/** Creates a folder as another process would leave it. */
function leave(name: string, pid: number): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'pid'), String(pid));
  return folder;
}

test('createFolder deletes the folder of a killed process after an hour', () => {
  const { pid } = spawnSync('true');
  const left = leave('svc-asr-kubernetes-left', pid);
  createFolder(parent, Date.now() + HOUR_MS / 2);
  expect(existsSync(left)).toBe(true);
  createFolder(parent, Date.now() + 2 * HOUR_MS);
  expect(existsSync(left)).toBe(false);
});

test('createFolder deletes neither folders that are in use nor folders without the name prefix of test clusters', () => {
  mkdirSync(join(parent, 'svc-asr-kubernetes-begun'));
  leave('svc-asr-kubernetes-used', process.pid);
  leave('something-else', spawnSync('true').pid);
  createFolder(parent);
  createFolder(parent, Date.now() + 2 * HOUR_MS);
  expect(readdirSync(parent)).toHaveLength(5);
});
