import fc from 'fast-check';
import { inline, markdown, sections, slug } from './markdown.ts';

test('renders inline code, bold and links, and escapes all three', () => {
  expect(inline('a `<b>` **c&d** [e](#f) <g>').text).toBe(
    'a <code>&lt;b&gt;</code> <strong>c&amp;d</strong> <a href="#f">e</a> &lt;g&gt;',
  );
});

test('does not link to a script', () => {
  expect(inline('[x](javascript:alert)').text).toBe('[x](javascript:alert)');
});

test('renders paragraphs, lists, code and tables', () => {
  const text =
    'One\ntwo.\n\n- a\n- b\n\n3. c\n\n```shell\necho <x>\n\necho y\n```\n\n| h | i |\n|---|---|\n| `j` | k |';
  const { text: rendered } = markdown(text);
  expect(rendered).toContain('<p>One two.</p>');
  expect(rendered).toContain('<ul><li>a</li><li>b</li></ul>');
  expect(rendered).toContain('<ol start="3"><li>c</li></ol>');
  expect(rendered).toContain('echo &lt;x&gt;\n\necho y</code></pre>');
  expect(rendered).toContain('<td data-label="h"><code>j</code></td>');
});

test('cuts a text into sections with anchors', () => {
  expect(sections('Intro.\n\n## How it works\n\nBody.\n\n## B\nC')).toEqual({
    intro: 'Intro.',
    sections: [
      { id: 'how-it-works', title: 'How it works', body: 'Body.' },
      { id: 'b', title: 'B', body: 'C' },
    ],
  });
  expect(slug('Retries & more!')).toBe('retries-more');
});

test('whatever the text, only tags of the renderer come out', () => {
  const allowed = /<\/?(p|ul|ol|li|code|strong|a|pre|div|table|thead|tbody|tr|th|td|i)(\s[^<>]*)?>/g;
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('<>"\'&`*[](){}|#-1. \na/:')) }), (text) => {
      expect(markdown(text).text.replace(allowed, '')).not.toMatch(/[<>]/);
    }),
  );
});
