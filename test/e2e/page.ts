import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from './stage.ts';

const DOCS = join(import.meta.dirname, '../../docs');
/** A block of shell commands, which may stand in a list. */
const BLOCK = /^( *)```sh\n([\s\S]*?)\n\1```$/gm;
const WITHIN_MS = 200_000;

/** The shell commands of a section of a page, in order. */
export function commandsOf(page: string, heading: string): string {
  const text = readFileSync(join(DOCS, page), 'utf8');
  const [, section = ''] = text.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const [body = ''] = section.split(/^#+ /m);
  const blocks = [...body.matchAll(BLOCK)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  if (blocks.length === 0) throw new Error(`${page} has no commands under "${heading}"`);
  return blocks.join('\n');
}

/** Does in a folder what a section of a page tells people to do. */
export function follow(stage: Stage, folder: string, page: string, heading: string): Promise<string> {
  return stage.cluster.shell(`cd '${folder}'\n${commandsOf(page, heading)}`, { timeoutMs: WITHIN_MS });
}
