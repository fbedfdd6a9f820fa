import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Logger } from './logger.ts';

const POLL_MS = 10_000;

/** Parsed content of a file that is reloaded when the file changes. */
export interface FollowedFile<T> {
  readonly current: T;
  stop: () => void;
}

/**
 * Reads a file and follows its changes by polling, which also works for mounted Secrets. Throws if the file is invalid
 * at start. A later version that is invalid is logged, and the last valid one stays in use.
 */
export function followFile<T>(
  file: string,
  parse: (text: string) => T,
  { logger, pollMs = POLL_MS }: { logger: Logger; pollMs?: number },
): FollowedFile<T> {
  const read = () => {
    try {
      return parse(readFileSync(file, 'utf8'));
    } catch (cause) {
      throw new Error(`${file} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  };
  let current = read();
  const reload = () => {
    try {
      current = read();
      logger.info({ file }, 'the file was reloaded');
    } catch (err) {
      logger.error({ err, file }, 'the changed file cannot be used; keeping its last valid version');
    }
  };
  watchFile(file, { interval: pollMs, persistent: false }, reload);
  return {
    get current() {
      return current;
    },
    stop: () => unwatchFile(file, reload),
  };
}
