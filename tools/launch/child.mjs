import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { constants } from 'node:os';
import { root } from './terminal.mjs';

/**
 * Runs a script in a child process, passes signals on to it and ends with its status. The child has a channel to
 * this process, by which it notices (event `disconnect`) when this process was killed without a chance to say so.
 */
export async function runNode(node, args) {
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}`, SVC_ASR_NODE: node };
  const child = spawn(node, args, { cwd: root, stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  child.channel?.unref();
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to the whole group: the child has it already, this process only must not die first.
  // Without a terminal the signal came to this process alone.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  const status = await new Promise((done) => {
    child.on('error', (error) => {
      process.stderr.write(`✗ ${error.message}\n`);
      done(1);
    });
    child.on('exit', (code, signal) => done(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
  process.exit(status);
}
