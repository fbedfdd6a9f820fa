import fc from 'fast-check';
import { inline, markdown, sections, slug } from './markdown.ts';

test('inline() renders code, bold and links, and escapes HTML', () => {
  expect(inline('a `<b>` **c&d** [e](#f) <g>').text).toBe(
    'a <code>&lt;b&gt;</code> <strong>c&amp;d</strong> <a href="#f">e</a> &lt;g&gt;',
  );
});

test('inline() renders a link with a javascript: address as plain text', () => {
  expect(inline('[x](javascript:alert)').text).toBe('[x](javascript:alert)');
});

test('markdown() renders a single list even if a block of code is between its items', () => {
  const { text } = markdown('1. a\n\n   ```shell\n   echo <x>\n\n   echo y\n   ```\n\n2. b');
  expect(text.match(/<ol>/g)).toHaveLength(1);
  expect(text.replace(/<\/?span[^>]*>/g, '')).toContain('<code>echo &lt;x&gt;\n\necho y</code></pre>');
});

test('markdown() labels each table cell with the heading of its column', () => {
  const { text } = markdown('| h | i |\n|---|---|\n| `j` | k |\n| l | m |');
  expect(text).toContain('<div class="scroll"><table class="plain">');
  expect(text).toContain('<th scope="col">h</th>');
  expect(text).toContain('<td data-label="h"><code>j</code></td>');
  expect(text).toContain('<td data-label="i">m</td>');
  expect(text).toContain('</table>\n</div>');
});

test('markdown() marks a table with more than two columns for the card layout of phones', () => {
  expect(markdown('| h | i | j |\n|---|---|---|\n| k | l | m |').text).toContain('<table class="cards">');
});

test('sections() splits a guide at its headings of the second level', () => {
  const guide = sections('Intro.\n\n## How it works\n\n```\n## no heading\n```\n\n## B\nC');
  expect(guide.intro.text).toBe('<p>Intro.</p>\n');
  expect(guide.sections.map(({ id, title }) => [id, title])).toEqual([
    ['how-it-works', 'How it works'],
    ['b', 'B'],
  ]);
  expect(guide.sections[0]!.body.text).toContain('## no heading');
  expect(guide.sections[1]!.body.text).toBe('<p>C</p>\n');
});

test('slug() replaces everything but letters and digits with hyphens', () => {
  expect(slug('Retries & more!')).toBe('retries-more');
});

test('markdown() never renders HTML tags or attributes that the text contains', () => {
  const allowed =
    /<\/?(p|ul|ol|li|code|strong|em|s|a|pre|div|table|thead|tbody|tr|th|td|span|h[1-6]|blockquote|hr|br|img)(\s[^<>]*)?>/g;
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('<>"\'&`*[](){}|#-1. \na/:')) }), (text) => {
      expect(markdown(text).text.replace(allowed, '')).not.toMatch(/[<>]/);
    }),
  );
});
