import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { extractCommit, findPrevious, plainEnvironment } from './commit.ts';
import { sharePackages } from './packages.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder('previous');
});

const write = (path: string, text: string) => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};

function git(...args: string[]): string {
  const own = ['-c', 'user.name=test', '-c', 'user.email=test@svc-asr.test', '-c', 'commit.gpgsign=false'];
  const options = { encoding: 'utf8', env: plainEnvironment() } as const;
  const { status, stdout, stderr } = spawnSync('git', ['-C', folder, ...own, ...args], options);
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

function commit(text: string): string {
  write('file', text);
  git('add', '.');
  git('commit', '--quiet', '--message', text);
  return git('rev-parse', 'HEAD');
}

test('findPrevious returns why there is no previous commit if the folder is not a repository or has only one commit', () => {
  expect(findPrevious(folder)).toEqual({ missing: expect.stringContaining('not a git repository') as string });
  git('init', '--quiet');
  commit('one');
  expect(findPrevious(folder)).toEqual({ missing: 'this clone has no commit HEAD~1' });
});

test('findPrevious returns the parent of HEAD, or HEAD if there are uncommitted changes', () => {
  git('init', '--quiet');
  const one = commit('one');
  const two = commit('two');
  expect(findPrevious(folder)).toEqual({ commit: one });
  write('new', 'not committed');
  expect(findPrevious(folder)).toEqual({ commit: two });
});

test('extractCommit replaces the content of a folder with the files of a commit', () => {
  git('init', '--quiet');
  const one = commit('one');
  commit('two');
  const place = join(folder, 'out/source');
  write('out/source/stale', '');
  extractCommit(folder, one, place);
  expect(readFileSync(join(place, 'file'), 'utf8')).toBe('one');
  expect(existsSync(join(place, 'stale'))).toBe(false);
  expect(() => extractCommit(folder, '0'.repeat(40), place)).toThrow('git archive of 0000');
});

test('sharePackages links the npm packages of another checkout but not its workspaces, and returns false if the lockfiles differ', () => {
  const lockfile = JSON.stringify({
    packages: {
      '': {},
      'node_modules/@own/part': { link: true, resolved: 'part' },
      'node_modules/bought': {},
      'node_modules/bought/node_modules/nested': {},
      'node_modules/elsewhere': { optional: true },
      'part/node_modules/@some/one': {},
      part: {},
    },
  });
  for (const checkout of ['old', 'new']) {
    write(`${checkout}/package-lock.json`, lockfile);
    write(`${checkout}/part/name`, checkout);
  }
  write('new/node_modules/.package-lock.json', lockfile);
  write('new/node_modules/bought/node_modules/nested/file', 'nested');
  write('new/part/node_modules/@some/one/file', 'one');
  mkdirSync(join(folder, 'new/node_modules/@own'));
  symlinkSync('../../part', join(folder, 'new/node_modules/@own/part'));

  const [from, to] = [join(folder, 'new'), join(folder, 'old')];
  expect(sharePackages(from, to)).toBe(true);
  expect(readFileSync(join(to, 'node_modules/@own/part/name'), 'utf8')).toBe('old');
  expect(realpathSync(join(to, 'node_modules/bought/node_modules/nested/file'))).toContain('/new/node_modules/bought/');
  expect(readFileSync(join(to, 'part/node_modules/@some/one/file'), 'utf8')).toBe('one');
  expect(readFileSync(join(to, 'node_modules/.package-lock.json'), 'utf8')).toBe(lockfile);
  write('other/package-lock.json', '{}');
  expect(sharePackages(from, join(folder, 'other'))).toBe(false);
});
