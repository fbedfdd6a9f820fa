import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file whole or not at all; `mode` holds from its first byte on. */
export function writeAtomically(file: string, text: string, mode = 0o644): void {
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode, flush: true });
  renameSync(draft, file);
}

/** The text of a file; undefined when there is none. */
export function readIfPresent(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
