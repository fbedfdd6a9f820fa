import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../../test/support/eventually.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { followFile } from './followed-file.ts';
import type { FollowedFile } from './followed-file.ts';
import { createLogger } from './logger.ts';

const POLL_MS = 20;
const folder = temporaryFolder('followed-file');
const file = join(folder, 'number');
let log = '';
const logger = createLogger('test', 'info', { write: (line) => (log += line) });
let followed: FollowedFile<number> | undefined;

function parse(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error('it is not a number');
  return Number(text);
}

beforeEach(() => (log = ''));
afterEach(() => followed?.stop());

test('followFile reloads a changed file, and keeps the last valid version if the change is invalid', async () => {
  writeFileSync(file, '1');
  followed = followFile(file, parse, { logger, pollMs: POLL_MS });
  expect(followed.current).toBe(1);
  writeFileSync(file, 'one');
  await eventually('the invalid version is logged', 30_000, () => log.includes('keeping its last valid version'));
  expect(followed.current).toBe(1);
  writeFileSync(file, '2');
  await eventually('the valid version is loaded', 30_000, () => followed?.current === 2);
});

test('followFile reloads a file behind a symbolic link that is replaced, as in a mounted Secret', async () => {
  const [data, link] = [join(folder, '..data'), join(folder, 'key')];
  for (const version of [1, 2]) writeFileSync(join(folder, String(version)), String(version));
  symlinkSync('1', data);
  symlinkSync('..data', link);
  followed = followFile(link, parse, { logger, pollMs: POLL_MS });
  symlinkSync('2', `${data}_tmp`);
  renameSync(`${data}_tmp`, data);
  await eventually('the new version is loaded', 30_000, () => followed?.current === 2);
});

test('followFile keeps the last version of a file that was deleted', async () => {
  writeFileSync(file, '1');
  followed = followFile(file, parse, { logger, pollMs: POLL_MS });
  rmSync(file);
  await eventually('the removal is logged', 30_000, () => log.includes('ENOENT'));
  expect(followed.current).toBe(1);
  writeFileSync(file, '3');
  await eventually('the new file is loaded', 30_000, () => followed?.current === 3);
  expect(log.match(/keeping its last valid version/g)).toHaveLength(1);
});

test('followFile throws an error with the name of the file if the file is invalid at start', () => {
  writeFileSync(file, 'one');
  expect(() => followFile(file, parse, { logger })).toThrow(`${file} cannot be used: it is not a number`);
});
