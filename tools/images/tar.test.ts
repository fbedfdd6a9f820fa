import { spawnSync } from 'node:child_process';
import { lstatSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { linkOf, textOf, withFolders } from './files.ts';
import type { ImageFile } from './files.ts';
import { packTar } from './tar.ts';

const LONG = `${'deep/'.repeat(60)}file.js`;
const FILES: ImageFile[] = [
  textOf('usr/bin/program', 'x'.repeat(1000), 0o755),
  linkOf('app/link', '../usr/bin/program'),
  linkOf('app/far', LONG),
  textOf(LONG, 'deep'),
  { path: 'tmp', mode: 0o1777, from: 'folder' },
  textOf('ünïcode', ''),
];

describe('packTar', () => {
  test('writes contents, modes, links and long names so that tar restores them', async () => {
    const folder = temporaryFolder('tar');
    writeFileSync(join(folder, 'a.tar'), await packTar(FILES));
    const { status, stderr } = spawnSync('tar', ['-xpf', 'a.tar'], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(readFileSync(join(folder, 'usr/bin/program'), 'utf8')).toBe('x'.repeat(1000));
    expect(lstatSync(join(folder, 'usr/bin/program'))).toMatchObject({ mode: 0o100755, mtimeMs: 0 });
    expect(lstatSync(join(folder, 'tmp')).mode & 0o7777).toBe(0o1777);
    expect(readlinkSync(join(folder, 'app/link'))).toBe('../usr/bin/program');
    expect(readlinkSync(join(folder, 'app/far'))).toBe(LONG);
    expect(readFileSync(join(folder, LONG), 'utf8')).toBe('deep');
    expect(readFileSync(join(folder, 'ünïcode'), 'utf8')).toBe('');
  });

  test('writes the same bytes for the same files in another order', async () => {
    expect((await packTar(FILES.toReversed())).equals(await packTar(FILES))).toBe(true);
  });
});

test('withFolders puts each folder before the files in it', () => {
  expect(withFolders([textOf('a/b/c', '')]).map(({ path }) => path)).toEqual(['a', 'a/b', 'a/b/c']);
});
