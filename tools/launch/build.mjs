// @ts-check
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root, say, stop } from './terminal.mjs';

/**
 * Compiles every workspace and renders the API documents. TypeScript skips workspaces that have not changed.
 * @param {string} node
 */
export function ensureBuild(node) {
  // The first build takes a while, in which nothing else is seen.
  say('building what has changed');
  const tsc = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const result = spawnSync(node, [tsc, '--build', root], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.status !== 0) stop('the build failed: see the compiler messages above');
  const render = join(root, 'packages', 'api-docs', 'dist', 'build.js');
  const rendered = spawnSync(node, [render], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (rendered.status !== 0) stop('the API documents could not be rendered: see the message above');
}
