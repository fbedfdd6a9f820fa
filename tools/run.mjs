#!/usr/bin/env node
// Entry point of every npm script: `node tools/run.mjs TASK [ARGS]`.
// It runs before anything is installed, so it has no dependencies and needs only Node 18.
//   1. Installs Node 24 from the npm registry into a cache if the present Node is too old.
//   2. Installs npm packages if node_modules differs from the lockfile.
//   3. Builds what has changed, unless the task is in WITHOUT_BUILD.
//   4. Runs tools/tasks/TASK.ts in a child process and forwards signals.
import { existsSync, readdirSync } from 'node:fs';
import { ensureBuild } from './launch/build.mjs';
import { runNode } from './launch/child.mjs';
import { ensureNode } from './launch/node.mjs';
import { ensurePackages } from './launch/packages.mjs';
import { root, stop } from './launch/terminal.mjs';

/**
 * Tasks that need no compiled output. The task `test` runs the build itself, because it counts a failed build as a
 * failed test.
 */
const WITHOUT_BUILD = new Set(['format', 'test']);

const [task, ...args] = process.argv.slice(2);
const tasks = readdirSync(`${root}/tools/tasks`)
  .filter((name) => /^[a-z0-9-]+\.ts$/.test(name))
  .map((name) => name.slice(0, -3));
if (task === undefined || !tasks.includes(task)) {
  stop(`usage: node tools/run.mjs TASK [ARGS], where TASK is one of ${tasks.join(', ')}`);
}
if (!existsSync(`${root}/package-lock.json`))
  stop('package-lock.json is missing. Restore it with "git checkout package-lock.json"');

const node = ensureNode();
await ensurePackages(node);
if (!WITHOUT_BUILD.has(task)) ensureBuild(node);
await runNode(node, [`${root}/tools/tasks/${task}.ts`, ...args]);
