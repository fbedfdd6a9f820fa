import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Harness } from './harness.ts';

const DOCS = join(import.meta.dirname, '../../docs');
/** Matches a block of shell commands. The block may be indented, because it may be part of a list. */
const BLOCK = /^( *)```sh\n([\s\S]*?)\n\1```$/gm;
const TIMEOUT_MS = 200_000;

/** Returns the blocks of shell commands in a section of a page. */
export function commandBlocks(page: string, heading: string): string[] {
  const text = readFileSync(join(DOCS, page), 'utf8');
  const [, section = ''] = text.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const [body = ''] = section.split(/^#+ /m);
  const blocks = [...body.matchAll(BLOCK)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  if (blocks.length === 0) throw new Error(`${page} has no commands under "${heading}"`);
  return blocks;
}

/** Runs the shell commands in a section of a page. Their working directory is `folder`. */
export function runDocs(harness: Harness, folder: string, page: string, heading: string): Promise<string> {
  const commands = commandBlocks(page, heading).join('\n');
  return harness.tools.shell(`cd '${folder}'\n${commands}`, { timeoutMs: TIMEOUT_MS });
}
