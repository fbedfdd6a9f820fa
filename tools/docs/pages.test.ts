import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { buildTable, renewTables } from './markdown.ts';
import { buildPages } from './pages.ts';
import { buildSettingsPage } from './reference-pages.ts';

test.each(Object.entries(buildPages()))('%s matches the code (run `npm run docs` to update it)', (name, page) => {
  expect(readFileSync(join(root, name), 'utf8')).toBe(page);
});

test('buildSettingsPage shows the default of a setting, whether it is required, and whether it is secret', () => {
  const read = (text: string) => text;
  const page = buildSettingsPage({
    gateway: {
      PORT: { description: 'Where it listens.', fallback: '8443', read },
      PROXIES: { description: 'Whom it trusts.', fallback: '', read },
      PEPPER: { description: 'What keys are hashed with.', fallback: undefined, secret: true, read },
    },
  });
  expect(page).toContain('| `PORT` | `8443` | Where it listens. |');
  expect(page).toContain('| `PROXIES` | empty | Whom it trusts. |');
  expect(page).toContain('| `PEPPER` | required | What keys are hashed with. *Secret.* |');
});

test('buildTable escapes bars and line breaks in cells', () => {
  expect(buildTable(['a'], [['x | y\nz']])).toBe('| a |\n|---|\n| x \\| y z |');
});

test('renewTables replaces the table that has the same header row, and changes nothing else', () => {
  const page = 'text\n\n| a | b |\n|---|---|\n| old | 1 |\n\nmore | text\n';
  const table = buildTable(['a', 'b'], [['new', '2']]);
  expect(renewTables(page, [table])).toBe(`text\n\n${table}\n\nmore | text\n`);
  expect(() => renewTables(page, [buildTable(['c'], [])])).toThrow('no table with the head | c |');
});
