import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** Writes a CA certificate to a file in a new temporary folder and returns its path. */
export function writeCa(ca: string): string {
  const file = join(temporaryFolder('ca'), 'ca.pem');
  writeFileSync(file, ca);
  return file;
}
