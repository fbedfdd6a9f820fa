import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { say, stop } from './terminal.mjs';

const PINNED = '24.21.0';
const OLDEST = [22, 19];

/** The folder in which downloaded and built tools are kept between runs. */
export function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc-asr');
}

/** The path of a Node that is new enough: the present one, or the pinned one from the npm registry. */
export function ensureNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const home = join(cacheFolder(), `node-${PINNED}-${process.platform}-${process.arch}`);
  const binary = join(home, 'node_modules', name, 'bin', 'node');
  if (!existsSync(binary)) download(name, home);
  if (!existsSync(binary)) stop(`npm installed ${name} without bin/node; remove ${home} and run again`);
  return binary;
}

function download(name, home) {
  if (!['linux', 'darwin'].includes(process.platform) || !['x64', 'arm64'].includes(process.arch)) {
    stop(`Node ${OLDEST.join('.')} or newer is needed (this is ${process.versions.node}); install Node 24 and run again`);
  }
  say(`Node ${process.versions.node} is too old; getting Node ${PINNED} from the npm registry`);
  mkdirSync(cacheFolder(), { recursive: true });
  // Into a folder of its own, then renamed, so that a broken or parallel download is never taken for a whole one.
  const draft = mkdtempSync(join(cacheFolder(), 'node-draft-'));
  const args = ['install', '--prefix', draft, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${PINNED}`];
  const result = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'], cwd: draft });
  if (result.status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    stop(`npm could not get ${name}@${PINNED}; install Node 24 yourself and run again`);
  }
  try {
    renameSync(draft, home);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
}
