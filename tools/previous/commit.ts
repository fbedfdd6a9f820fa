import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';

/** The commit that an upgrade starts from, or the reason why there is none. */
export type Previous = { commit: string } | { missing: string };

/** Finds the commit before the working tree: HEAD if there are uncommitted changes, otherwise its parent. */
export function findPrevious(root: string): Previous {
  const changes = git(root, ['status', '--porcelain']);
  if (changes.error !== undefined) return { missing: changes.error };
  const wanted = changes.output === '' ? 'HEAD~1' : 'HEAD';
  const found = git(root, ['rev-parse', '--verify', '--quiet', `${wanted}^{commit}`]);
  if (found.error !== undefined) return { missing: `this clone has no commit ${wanted}` };
  return { commit: found.output };
}

/** Extracts the files of a commit into a folder, which is emptied first. The repository stays unchanged. */
export function extractCommit(root: string, commit: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = spawnSync('git', ['-C', root, 'archive', commit], { env: plainEnvironment(), maxBuffer: 2 ** 30 });
  if (archive.status !== 0) throw new Error(`git archive of ${commit} failed: ${archive.stderr.toString().trim()}`);
  const { status } = spawnSync('tar', ['-x', '-C', folder], {
    input: archive.stdout,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`tar could not extract the files of ${commit}: see its message above`);
}

/**
 * Returns the environment without GIT_* variables, and with English messages. A git hook sets GIT_DIR, which would
 * override the folder that git is called for.
 */
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
