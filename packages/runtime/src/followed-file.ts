import { readFileSync } from 'node:fs';
import type { Logger } from './logger.ts';

const POLL_MS = 10_000;

/** Parsed content of a file that is reloaded when the file changes. */
export interface FollowedFile<T> {
  readonly current: T;
  stop: () => void;
}

/**
 * Reads a file and follows its changes by polling its content. This also works for mounted Secrets, and for changes
 * that keep the modification time. Throws if the file is invalid at start. If a later version is invalid, it is logged
 * and the last valid version stays in use.
 */
export function followFile<T>(
  file: string,
  parse: (text: string) => T,
  { logger, pollMs = POLL_MS }: { logger: Logger; pollMs?: number },
): FollowedFile<T> {
  const attempt = <R>(act: () => R): R => {
    try {
      return act();
    } catch (cause) {
      throw new Error(`${file} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  };
  const read = () => attempt(() => readFileSync(file, 'utf8'));
  let text = read();
  let current = attempt(() => parse(text));
  let failure = '';
  const reload = () => {
    try {
      const found = read();
      if (found === text) return;
      text = found;
      current = attempt(() => parse(found));
      failure = '';
      logger.info({ file }, 'the file was reloaded');
    } catch (err) {
      // If the file cannot be read, the same error occurs at every poll until that is fixed. It is logged once.
      const message = String(err);
      if (message === failure) return;
      failure = message;
      logger.error({ err, file }, 'the changed file cannot be used; keeping its last valid version');
    }
  };
  const timer = setInterval(reload, pollMs).unref();
  return {
    get current() {
      return current;
    },
    stop: () => clearInterval(timer),
  };
}
