import { closeSync, existsSync, openSync, renameSync, writeSync } from 'node:fs';

const KEPT = 3;

/** A log file that is written line by line. Older files are kept as NAME.log.1 to NAME.log.3. */
export interface LogFile {
  write: (line: string) => void;
  close: () => void;
}

/** Rotates earlier logs and opens a new one. */
export function openLogFile(file: string): LogFile {
  for (let age = KEPT - 1; age >= 0; age--) {
    const older = age === 0 ? file : `${file}.${age}`;
    if (existsSync(older)) renameSync(older, `${file}.${age + 1}`);
  }
  const descriptor = openSync(file, 'a', 0o600);
  return {
    write: (line) => void writeSync(descriptor, `${line}\n`),
    close: () => closeSync(descriptor),
  };
}
