import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { root, say, stop } from './terminal.mjs';

/** Runs `npm ci` when the lockfile is not the one that node_modules was installed from. */
export function ensurePackages(node) {
  const stamp = join(root, 'node_modules', '.svc-asr-installed');
  const wanted = createHash('sha256').update(readFileSync(join(root, 'package-lock.json'))).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  say('installing npm packages');
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` };
  const result = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env });
  if (result.status !== 0) stop('npm ci failed: see its message above');
  writeFileSync(stamp, wanted);
}
