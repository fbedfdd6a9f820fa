import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { platformOf } from '../images/platform.ts';

/** Returns the image archives in a folder that fit this machine, without those for GPUs, which take gigabytes. */
export function findArchives(folder: string, architecture: string = process.arch): string[] {
  const suffix = `-${platformOf(architecture).replace('/', '-')}.tar`;
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const files = names.filter((name) => name.endsWith(suffix) && !name.endsWith(`-cuda${suffix}`)).sort();
  if (files.length === 0) throw new Error(`${folder} has no image archives for this machine; run \`npm run images\``);
  return files.map((name) => join(folder, name));
}
