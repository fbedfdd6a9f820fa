// @ts-check
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root, logProgress, stop } from './terminal.mjs';

/**
 * Compiles every workspace and renders the API documents. TypeScript skips workspaces that have not changed.
 * @param {string} node
 */
export function ensureBuild(node) {
  // The first build takes a while without any output.
  logProgress('building what has changed');
  for (const [path = '', ...args] of [
    ['node_modules/typescript-7/bin/tsc', '--build', 'tsconfig.build.json'],
    ['packages/api-docs/dist/build.js'],
  ]) {
    const { status } = spawnSync(node, [join(root, path), ...args], { cwd: root, stdio: ['ignore', 1, 2] });
    if (status !== 0) stop(`the build failed in ${path}: see the messages above`);
  }
}
