// @ts-check
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root, logProgress, stop } from './terminal.mjs';

/**
 * Scripts of the build, with their arguments. They compile every workspace, render the API documents and bundle the
 * pages of the console. TypeScript and the bundler skip what has not changed. TypeScript does not check types here,
 * which saves five sixths of its processor time. `npm test` checks types.
 */
export const BUILD_STEPS = [
  ['node_modules/typescript-7/bin/tsc', '--build', '--noCheck', 'tsconfig.build.json'],
  ['packages/api-docs/dist/build.js'],
  ['tools/pages/build.ts'],
];

/**
 * Builds what has changed. Ends the process if that fails.
 * @param {string} node
 */
export function ensureBuild(node) {
  // The first build takes a while without any output.
  logProgress('building what has changed');
  for (const [path = '', ...args] of BUILD_STEPS) {
    const { status } = spawnSync(node, [join(root, path), ...args], { cwd: root, stdio: ['ignore', 1, 2] });
    if (status !== 0) stop(`the build failed in ${path}: see the messages above`);
  }
}
