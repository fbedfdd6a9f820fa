import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Writes a file completely or not at all. The file is created with `mode`, so it is never readable with wider access
 * rights.
 */
export function writeAtomically(file: string, content: string | Buffer, mode = 0o644): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode, flush: true });
  renameSync(temporary, file);
}

/** Returns the text of a file, or undefined if it does not exist. */
export function readIfPresent(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Returns the object in a JSON file, or undefined if the file is missing or damaged. */
export function readJson<T extends object>(file: string): Partial<T> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<T>;
  } catch {
    return undefined;
  }
}
