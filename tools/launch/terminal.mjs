// @ts-check
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * One line of progress, on standard error so that a task's own output stays clean.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`» ${line}\n`);
}

/**
 * Ends the launcher with a message that says what to do.
 * @param {string} line
 * @returns {never}
 */
export function stop(line) {
  process.stderr.write(`✗ ${line}\n`);
  process.exit(1);
}
