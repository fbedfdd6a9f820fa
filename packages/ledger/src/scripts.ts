import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A Lua script in the form that is sent to Redis. */
export interface Script {
  readonly name: string;
  readonly source: string;
  readonly sha1: string;
}

const FOLDER = new URL('../scripts/', import.meta.url);

/**
 * Reads `scripts/NAME.lua` and replaces each `-- @include PART` with `scripts/include/PART.lua`, unless the part is
 * already visible there. An indented include is inside a block of Lua code, and its definitions are visible only in
 * this block.
 */
export function loadScript(name: string): Script {
  const source = expand(`${name}.lua`, new Set());
  return { name, source, sha1: createHash('sha1').update(source).digest('hex') };
}

function expand(file: string, included: Set<string>): string {
  return readFileSync(new URL(file, FOLDER), 'utf8').replace(
    /^( *)-- @include (\w+)\n/gm,
    (_, indentation: string, part: string) => {
      const known = indentation === '' ? included : new Set(included);
      if (known.has(part)) return '';
      known.add(part);
      return expand(`include/${part}.lua`, known);
    },
  );
}
