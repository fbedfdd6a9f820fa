import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const DIST = fileURLToPath(new URL('../web/dist', import.meta.url));
const MAX_BYTES = 150_000;

const pages = globSync('*/index.html', { cwd: DIST }).map((file) => file.split('/')[0] ?? '');

test('the build contains the pages for developers and administrators', () => {
  expect(pages.toSorted()).toEqual(['admin', 'developer']);
});

test.each(pages)('all files of the page %s together have at most 150 kB after compression', (page) => {
  const files = globSync(`${page}/**/*.{html,js,css,svg}`, { cwd: DIST });
  expect(files.length).toBeGreaterThan(2);
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length, 0);
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
});

test.each(pages)('the page %s has no code and no styles inside its HTML', (page) => {
  const html = readFileSync(join(DIST, page, 'index.html'), 'utf8');
  expect(html).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=/);
});
