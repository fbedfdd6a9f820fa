// @ts-check
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root folder of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * Resolves a path that the user gave, from the folder in which the command was run.
 * @param {string} path
 */
export function userPath(path) {
  return resolve(process.env.INIT_CWD ?? root, path);
}

/**
 * Prints a line of progress on standard error, so that standard output contains only the output of a task.
 * @param {string} line
 */
export function logProgress(line) {
  process.stderr.write(`» ${line}\n`);
}

/**
 * Prints an error message that states what to do, and ends the process.
 * @param {string} line
 * @returns {never}
 */
export function stop(line) {
  process.stderr.write(`✗ ${line}\n`);
  process.exit(1);
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Waits until a pipe has accepted everything that was written. `process.exit` would discard the rest.
 * @param {NodeJS.WriteStream} stream
 * @returns {Promise<void>}
 */
function flush(stream) {
  return new Promise((done) => {
    // The other end may be closed, for example by `head`.
    stream.once('error', () => done());
    stream.write('', () => done());
  });
}

/** `disconnect` means that the launcher (tools/run.mjs) has ended. */
const STOP_EVENTS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']);

/**
 * Calls a function when the task must stop. A signal then no longer ends the process by itself. Returns a function that
 * removes the listener.
 * @param {() => void} listener
 */
export function onStop(listener) {
  for (const name of STOP_EVENTS) process.on(name, listener);
  return () => {
    for (const name of STOP_EVENTS) process.off(name, listener);
  };
}

/**
 * Runs a task and exits with the status that it returns. Prints the message of an error without its stack, because
 * errors of tasks are for users.
 * @param {() => number | Promise<number>} task
 */
export async function runTask(task) {
  try {
    const status = await task();
    await Promise.all([flush(process.stdout), flush(process.stderr)]);
    process.exit(status);
  } catch (error) {
    stop(messageOf(error));
  }
}
