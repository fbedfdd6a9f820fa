import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';

/** The commit that people upgrade from; or why there is none to be had. */
export type Previous = { commit: string } | { missing: string };

/** The commit before the sources as they are: HEAD where something of them is not committed yet, else its parent. */
export function findPrevious(root: string): Previous {
  const changes = git(root, ['status', '--porcelain']);
  if (changes.error !== undefined) return { missing: changes.error };
  const wanted = changes.output === '' ? 'HEAD~1' : 'HEAD';
  const found = git(root, ['rev-parse', '--verify', '--quiet', `${wanted}^{commit}`]);
  if (found.error !== undefined) return { missing: `this clone has no commit ${wanted}` };
  return { commit: found.output };
}

/** Lays out the files of a commit in a folder, which it empties first. Nothing of it is noted in the repository. */
export function extractCommit(root: string, commit: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = `${folder}.tar`;
  const { error } = git(root, ['archive', '--output', archive, commit]);
  if (error !== undefined) throw new Error(`git could not give the files of ${commit}: ${error}`);
  const { status } = spawnSync('tar', ['-xf', archive, '-C', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${archive} could not be unpacked`);
  rmSync(archive);
}

/** In a hook the environment names the repository that the hook is for, whatever folder git is told; and git speaks English. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(others), LC_ALL: 'C' };
}

function git(root: string, args: readonly string[]): { output: string; error?: string } {
  const options = { encoding: 'utf8', env: plainEnvironment() } as const;
  const { status, stdout, stderr, error } = spawnSync('git', ['-C', root, ...args], options);
  if (status === 0) return { output: stdout.trim() };
  return { output: '', error: error?.message ?? stderr.trim() };
}
