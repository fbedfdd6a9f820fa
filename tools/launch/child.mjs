// @ts-check
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { root } from './terminal.mjs';

const PARENT_POLL_MS = 1000;

/**
 * Runs a script in a child process, passes signals on to it and ends with its status. The child has a channel to
 * this process, by which it notices (event `disconnect`) when this process was killed without a chance to say so.
 * @param {string} node
 * @param {string[]} args
 */
export async function runNode(node, args) {
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}`, SVC_ASR_NODE: node };
  const child = spawn(node, args, { cwd: root, stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to the whole group: the child has it already, this process only must not die first.
  // Without a terminal the signal came to this process alone.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  if (process.env.npm_lifecycle_event !== undefined) watchParent(() => child.kill('SIGTERM'));
  const status = await new Promise((done) => {
    child.on('error', (error) => {
      process.stderr.write(`✗ ${error.message}\n`);
      done(1);
    });
    child.on('exit', (code, signal) => done(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  process.exit(status);
}

/**
 * npm puts a shell between itself and this process. When either is killed, no signal arrives here: the only trace is
 * that this process has another parent.
 * @param {() => void} orphaned
 */
function watchParent(orphaned) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    orphaned();
  }, PARENT_POLL_MS);
  timer.unref();
}
