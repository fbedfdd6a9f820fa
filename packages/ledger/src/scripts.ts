import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A Lua script as Redis gets it. */
export interface Script {
  readonly name: string;
  readonly source: string;
  readonly sha1: string;
}

const FOLDER = new URL('../scripts/', import.meta.url);

/** Reads `scripts/NAME.lua` and puts each `-- @include PART` (`scripts/include/PART.lua`) in its place, once. */
export function loadScript(name: string): Script {
  const included = new Set<string>();
  const expand = (file: string): string =>
    readFileSync(new URL(file, FOLDER), 'utf8').replace(/^ *-- @include (\w+)\n/gm, (_, part: string) => {
      if (included.has(part)) return '';
      included.add(part);
      return expand(`include/${part}.lua`);
    });
  const source = expand(`${name}.lua`);
  return { name, source, sha1: createHash('sha1').update(source).digest('hex') };
}
