// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { say, stop } from './terminal.mjs';

/** Version of Node that the launcher downloads and the images contain. */
export const PINNED = '24.21.0';
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
  const binary = join(fetchNode(process.platform, process.arch), 'bin', 'node');
  if (!runs(binary)) stop(`${binary} does not run; remove its folder and run again, or install Node 24 yourself`);
  return binary;
}

/**
 * Downloads the pinned Node for a platform from the npm registry, unless the cache has it. Returns its folder.
 * @param {string} platform
 * @param {string} arch
 */
export function fetchNode(platform, arch) {
  const name = `node-${platform}-${arch}`;
  const home = join(cacheFolder(), `node-${PINNED}-${platform}-${arch}`);
  const folder = join(home, 'node_modules', name);
  if (existsSync(folder)) return folder;
  say(`downloading Node ${PINNED} for ${platform}-${arch} from the npm registry`);
  mkdirSync(cacheFolder(), { recursive: true });
  // npm writes into a temporary folder, so that an interrupted or concurrent download is never taken for a complete one.
  const temporary = mkdtempSync(join(cacheFolder(), 'node-tmp-'));
  // --force installs a package for another architecture, which images of that architecture need.
  const args = [
    'install',
    '--force',
    '--prefix',
    temporary,
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ];
  const result = spawnSync('npm', [...args, `${name}@${PINNED}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: temporary,
  });
  if (result.status !== 0) {
    rmSync(temporary, { recursive: true, force: true });
    stop(`npm could not download ${name}@${PINNED}: see its message above`);
  }
  try {
    renameSync(temporary, home);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
  return folder;
}

/** @param {string} binary */
function runs(binary) {
  return spawnSync(binary, ['--version'], { stdio: 'ignore' }).status === 0;
}
