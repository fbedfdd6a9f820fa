// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { logProgress, stop } from './terminal.mjs';

/** Version of Node that the launcher downloads and the images contain. */
export const PINNED = '24.21.0';
const OLDEST = '22.19';

/** Returns the folder that keeps downloaded and built tools between runs. */
export function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc-asr');
}

/**
 * Returns whether a version of Node runs TypeScript sources (since 22.18) and loads every dependency.
 * @param {string} version such as `24.21.0`
 */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/**
 * Returns whether the launcher can download Node for a platform from the npm registry.
 * @param {string} platform
 * @param {string} arch
 */
export function isDownloadable(platform, arch) {
  return platform === 'linux' && ['x64', 'arm64'].includes(arch);
}

/** Returns the path of a Node that is new enough: the present one, or the pinned one from the npm registry. */
export function ensureNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  if (!isDownloadable(process.platform, process.arch)) {
    stop(`Node ${process.versions.node} is too old. Install Node ${OLDEST} or newer, for example 24, and try again`);
  }
  const binary = join(fetchNode(process.platform, process.arch), 'bin', 'node');
  if (spawnSync(binary, ['--version'], { stdio: 'ignore' }).status !== 0) {
    stop(`${binary} does not run. Remove its folder and try again, or install Node 24 yourself`);
  }
  return binary;
}

/**
 * Downloads the pinned Node for a platform from the npm registry, unless the cache has it. Returns its folder.
 * @param {string} platform
 * @param {string} arch
 */
export function fetchNode(platform, arch) {
  const home = join(cacheFolder(), `node-${PINNED}-${platform}-${arch}`);
  return fetchPackage(`node-${platform}-${arch}`, PINNED, home);
}

/**
 * Downloads an npm package into a folder, unless the folder already contains it. Does not run install scripts. The
 * package may be for another platform. Returns the package's own folder.
 * @param {string} name
 * @param {string} version
 * @param {string} home
 */
export function fetchPackage(name, version, home) {
  const folder = join(home, 'node_modules', name);
  if (existsSync(folder)) return folder;
  logProgress(`downloading ${name} ${version} from the npm registry`);
  mkdirSync(dirname(home), { recursive: true });
  // npm writes into a temporary folder, so that an incomplete download is never used.
  const temporary = mkdtempSync(join(dirname(home), 'npm-tmp-'));
  // npm installs a package for another architecture only with --force. Images for that architecture need such packages.
  const options = ['--force', '--prefix', temporary, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const result = spawnSync('npm', ['install', ...options, `${name}@${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: temporary,
  });
  if (result.status !== 0) {
    rmSync(temporary, { recursive: true, force: true });
    stop(`npm could not download ${name}@${version}: see its message above`);
  }
  try {
    renameSync(temporary, home);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
  return folder;
}
