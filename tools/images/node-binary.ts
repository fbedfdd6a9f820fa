import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { InstallError } from '../install/install-error.ts';
import { cacheFolder } from '../launch/node.mjs';
import { say } from '../launch/terminal.mjs';
import { fileOf } from './image-file.ts';
import type { ImageFile } from './image-file.ts';
import { PLATFORMS } from './platform.ts';
import type { Platform } from './platform.ts';

/** The Node of the images. */
export const NODE_VERSION = '24.21.0';

/** Gets Node for a platform from the npm registry; the folder that holds it. */
export function fetchNode(platform: Platform): string {
  const name = nodePackageName(platform);
  const home = join(cacheFolder(), `image-${name}-${NODE_VERSION}`);
  const folder = join(home, 'package');
  if (!existsSync(folder)) download(`${name}@${NODE_VERSION}`, home);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  if (version !== NODE_VERSION) throw new InstallError(`${folder} holds Node ${version}: remove ${home} and run again`);
  return folder;
}

/** The npm package that carries Node for a platform. */
export function nodePackageName(platform: Platform): string {
  return `node-linux-${PLATFORMS[platform].node}`;
}

/** Node and its licence, without npm, headers and manuals. */
export function nodeFiles(folder: string): ImageFile[] {
  return [
    fileOf('usr/local/bin/node', join(folder, 'bin/node'), true),
    fileOf('usr/share/doc/node/LICENSE', join(folder, 'LICENSE')),
  ];
}

function download(wanted: string, home: string): void {
  say(`getting ${wanted} from the npm registry`);
  mkdirSync(cacheFolder(), { recursive: true });
  const draft = mkdtempSync(join(cacheFolder(), 'node-draft-'));
  try {
    run('npm', ['pack', '--silent', '--pack-destination', draft, wanted], draft);
    const archive = `${wanted.replace('@', '-')}.tgz`;
    run('tar', ['-xzf', archive], draft);
    rmSync(join(draft, archive));
    renameSync(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new InstallError(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
}
