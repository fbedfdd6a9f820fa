import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file completely or not at all. The file has `mode` from the start. */
export function writeAtomically(file: string, text: string, mode = 0o644): void {
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode, flush: true });
  renameSync(draft, file);
}

/** Returns the text of a file, or undefined if it does not exist. */
export function readIfPresent(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
