// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { say, stop } from './terminal.mjs';

const PINNED = '24.21.0';
const OLDEST = '22.19';

/** The folder in which downloaded tools are kept between runs. */
export function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc-asr');
}

/**
 * Whether a Node runs the sources as they are (types are stripped from 22.18 on) and loads every dependency.
 * @param {string} version such as `24.21.0`
 */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/**
 * The name of the package that carries Node for a machine; undefined where there is none.
 * @param {string} platform
 * @param {string} arch
 */
export function nodePackage(platform, arch) {
  return platform === 'linux' && ['x64', 'arm64'].includes(arch) ? `node-${platform}-${arch}` : undefined;
}

/** The path of a Node that is new enough: the present one, or the pinned one from the npm registry. */
export function ensureNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const name = nodePackage(process.platform, process.arch);
  if (name === undefined) {
    stop(`Node ${OLDEST} or newer is needed (this is ${process.versions.node}); install Node 24 and run again`);
  }
  const home = join(cacheFolder(), `node-${PINNED}-${process.platform}-${process.arch}`);
  const binary = join(home, 'node_modules', name, 'bin', 'node');
  if (!existsSync(binary)) download(name, home);
  if (!runs(binary)) stop(`${binary} does not run; remove ${home} and run again, or install Node 24 yourself`);
  return binary;
}

/**
 * @param {string} name
 * @param {string} home
 */
function download(name, home) {
  say(`Node ${process.versions.node} is too old; getting Node ${PINNED} from the npm registry`);
  mkdirSync(cacheFolder(), { recursive: true });
  // Into a folder of its own, then renamed, so that a broken or parallel download is never taken for a whole one.
  const draft = mkdtempSync(join(cacheFolder(), 'node-draft-'));
  const args = ['install', '--prefix', draft, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const result = spawnSync('npm', [...args, `${name}@${PINNED}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: draft,
  });
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

/** @param {string} binary */
function runs(binary) {
  return spawnSync(binary, ['--version'], { stdio: 'ignore' }).status === 0;
}
