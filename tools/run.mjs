#!/usr/bin/env node
// The one entry of every npm script: `node tools/run.mjs TASK [ARGS]`.
// No dependencies and nothing newer than Node 18, because it runs before anything is installed:
//   1. continues on Node 24 (from the npm registry, into a cache) where the present Node is too old,
//   2. installs npm packages when the lockfile changed,
//   3. builds when a source changed,
//   4. hands over to tools/tasks/TASK.ts in a child process, with signals passed on.
import { existsSync } from 'node:fs';
import { ensureNode } from './launch/node.mjs';
import { ensurePackages } from './launch/packages.mjs';
import { ensureBuild } from './launch/build.mjs';
import { root, say, stop } from './launch/terminal.mjs';
import { runNode } from './launch/child.mjs';

/** Tasks that need no compiled output. */
const WITHOUT_BUILD = new Set(['lint', 'format', 'jest']);

const [task, ...args] = process.argv.slice(2);
if (task === undefined || !/^[a-z][a-z-]*$/.test(task)) stop('usage: node tools/run.mjs TASK [ARGS]');
const file = `${root}/tools/tasks/${task}.ts`;
if (!existsSync(file)) stop(`there is no task "${task}": tools/tasks/${task}.ts does not exist`);

const node = ensureNode();
ensurePackages(node);
if (!WITHOUT_BUILD.has(task)) ensureBuild(node);
if (process.env.SVC_ASR_VERBOSE) say(`${task}: ${file}`);
await runNode(node, [file, ...args]);
