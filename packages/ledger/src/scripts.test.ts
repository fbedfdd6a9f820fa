import { readdirSync, readFileSync } from 'node:fs';
import { SAMPLES_PER_MS } from '@svc-asr/core';
import { loadScript } from './scripts.ts';

const FOLDER = new URL('../scripts/', import.meta.url);
const PAGE = new URL('../../../docs/redis.md', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8');
const scripts = readdirSync(FOLDER).filter((file) => file.endsWith('.lua'));

describe('include/billing.lua', () => {
  test('has the same sample rate as packages/core', () => {
    expect(read('include/billing.lua')).toContain(`local SAMPLES_PER_MS = ${SAMPLES_PER_MS}\n`);
  });

  test('is the only script that contains the sample rate', () => {
    const files = [...scripts, ...readdirSync(new URL('include/', FOLDER)).map((file) => `include/${file}`)];
    const others = files.filter((file) => file !== 'include/billing.lua');
    expect(others.filter((file) => /16000|[*/] 16\b/.test(read(file)))).toEqual([]);
  });
});

test('no script passes a negated variable to HINCRBY, because Lua writes a negated 0 as -0, which Redis refuses', () => {
  const files = [...scripts, ...readdirSync(new URL('include/', FOLDER)).map((file) => `include/${file}`)];
  const negated = /redis\.call\('HINCRBY', [^\n]*, -[a-z]/;
  expect(files.filter((file) => negated.test(read(file)))).toEqual([]);
});

/** Returns the hash fields that docs/redis.md lists, by the pattern of their key. */
function readLegend(): Map<string, Set<string>> {
  const sections = readFileSync(PAGE, 'utf8')
    .split(/^## .*: `/m)
    .slice(1);
  return new Map(
    sections.map((section) => [
      section.slice(0, section.indexOf('`')),
      new Set([...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, field = '']) => field)),
    ]),
  );
}

/**
 * Hash tag and suffix of KEYS[1], by the name that the head of a script gives to KEYS[1]. All keys that the script
 * builds have this hash tag.
 */
const KEY_NAMES: Record<string, [tag: string, suffix: string]> = {
  account: ['{t:TENANT}', 'a'],
  pool: ['{m:MODEL}', 'p'],
  'API key': ['{k:KEYID}', 'k'],
};

/** Splits the text of Lua arguments at commas that are not inside parentheses. */
function splitArguments(text: string): string[] {
  let depth = 0;
  let start = 0;
  const parts: string[] = [];
  for (let at = 0; at <= text.length; at++) {
    const char = text[at];
    if (char === '(' || char === '[') depth++;
    if (char === ')' || char === ']') depth--;
    if (char === undefined || depth < 0 || (char === ',' && depth === 0)) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
    if (depth < 0) return parts;
  }
  return parts;
}

/** Finds the uses of literal hash fields in a script. Returns the pattern of the key and the field for each of them. */
function fieldUses(source: string): [key: string, field: string][] {
  const [tag, suffix] = KEY_NAMES[/^-- KEYS {2}1 (.+)$/m.exec(source)?.[1] ?? ''] ?? ['', ''];
  const uses: [string, string][] = [];
  for (const call of source.matchAll(/redis\.call\('(H\w+)', /g)) {
    const [key = '', ...args] = splitArguments(source.slice(call.index + call[0].length));
    const definitions = [...source.slice(0, call.index).matchAll(/local (\w+) = (.*)/g)];
    const definition = definitions.findLast(([, name]) => name === key)?.[2] ?? key;
    const part = definition === 'KEYS[1]' ? suffix : (/'(\w+:?)'/.exec(definition)?.[1] ?? '');
    const pattern = [...readLegend().keys()].find((known) => known.replace(/(?<=:[a-z]+:).*/, '') === `${tag}:${part}`);
    const step = call[1] === 'HSET' ? 2 : 1;
    const names = call[1] === 'HSETNX' || call[1] === 'HINCRBY' ? args.slice(0, 1) : args;
    for (let at = 0; at < names.length; at += step) {
      const literal = /^'(\w+)'$/.exec(names[at] ?? '')?.[1];
      if (literal !== undefined) uses.push([pattern ?? `${tag}:${part}`, literal]);
    }
  }
  return uses;
}

describe('docs/redis.md', () => {
  const legend = readLegend();
  const used = scripts.flatMap((file) => fieldUses(loadScript(file.replace('.lua', '')).source));

  test('lists each hash field that a script uses', () => {
    const unknown = used.filter(([key, field]) => legend.get(key)?.has(field) !== true);
    expect(unknown).toEqual([]);
  });

  test('lists only those fields of sessions and workers that a script uses', () => {
    for (const key of ['{t:TENANT}:s:SESSION', '{m:MODEL}:w:ID']) {
      const names = used.filter(([known]) => known === key).map(([, field]) => field);
      expect([...(legend.get(key) ?? [])].sort()).toEqual([...new Set(names)].sort());
    }
  });
});
