import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, logProgress } from '../launch/terminal.mjs';

/** Writes generated files, given by their paths from the root of the repository. */
export function writeFiles(files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    logProgress(name);
  }
}
