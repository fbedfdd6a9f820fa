import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';

const PAGES = globSync('docs/integrations/*.md', { cwd: root }).sort();
const programs = globSync('test/compat/*/*.{py,mjs}', { cwd: root }).map((file) => readText(file));

function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Returns the blocks of a language in a page. */
function blocksOf(page: string, language: string): string[] {
  const fence = new RegExp(`^ *\`\`\`${language}\\n([^]*?)^ *\`\`\`$`, 'gm');
  return [...readText(page).matchAll(fence)].map(([, block = '']) => block);
}

/** Removes the indentation, which is not the same in a page and a program. */
function flatten(text: string): string {
  return text.replaceAll(/^ +/gm, '').trim();
}

test.each(PAGES)('every Python and JavaScript block of %s is part of a program that compat runs', (page) => {
  const blocks = [...blocksOf(page, 'python'), ...blocksOf(page, 'js')].map(flatten);
  expect(blocks).not.toEqual([]);
  expect(blocks.filter((block) => !programs.some((program) => flatten(program).includes(block)))).toEqual([]);
});

test.each(PAGES)('every command of %s names existing files and the pinned versions', (page) => {
  const commands = blocksOf(page, 'sh').join('\n');
  const paths = commands.match(/(test|worker)\/[\w./-]+/g) ?? [];
  expect(paths).not.toEqual([]);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const pinned = globSync('test/compat/*/requirements.in', { cwd: root }).flatMap((file) => readText(file).split('\n'));
  const installed = [...commands.matchAll(/^ *pip install "?([^"\n]+)"?$/gm)].map(([, requirement]) => requirement);
  expect(pinned).toEqual(expect.arrayContaining(installed));
});
