import fc from 'fast-check';
import { escapeHtml, Html, join, markup } from './html.ts';

test('escapeHtml escapes angle brackets, quotes and ampersands', () => {
  expect(escapeHtml(`<a href="x" id='y'>&</a>`)).toBe('&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;&lt;/a&gt;');
});

test('markup() escapes text values and inserts Html values unchanged', () => {
  const inner = markup`<b>${'<i>'}</b>`;
  expect(markup`<p title="${'"'}">${inner}${[inner, inner]}${undefined}${3}</p>`.text).toBe(
    '<p title="&quot;"><b>&lt;i&gt;</b><b>&lt;i&gt;</b><b>&lt;i&gt;</b>3</p>',
  );
  expect(join([new Html('<br>'), markup`a`], ' ').text).toBe('<br> a');
});

test('markup() lets no angle bracket or quote of a text through', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(markup`${text}`.text).not.toMatch(/[<>"']/);
    }),
  );
});
