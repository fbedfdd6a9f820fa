// @ts-check
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { root, stop } from './terminal.mjs';

const PARENT_POLL_MS = 1000;

/**
 * Runs a script in a child process, forwards signals to it and exits with its status. The child has a channel to this
 * process. The child gets the event `disconnect` if this process is killed.
 * @param {string} node
 * @param {string[]} args
 */
export async function runNode(node, args) {
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}`, SVC_ASR_NODE: node };
  const child = spawn(node, args, { cwd: root, stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to the child too, so this process only keeps running. Without a terminal, it forwards the
  // signal.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  if (process.env.npm_lifecycle_event !== undefined) watchParent(() => child.kill('SIGTERM'));
  child.on('error', (error) => stop(error.message));
  const status = await new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  process.exit(status);
}

/**
 * Calls `orphaned` when the parent of this process has ended. npm runs this process in a shell. If npm or the shell is
 * killed, this process gets no signal.
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
