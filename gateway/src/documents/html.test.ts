import fc from 'fast-check';
import { escapeHtml, Html, join, markup } from './html.ts';

test('escapes what could end an element or an attribute', () => {
  expect(escapeHtml(`<a href="x" id='y'>&</a>`)).toBe('&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;&lt;/a&gt;');
});

test('a template escapes text and leaves HTML as it is', () => {
  const inner = markup`<b>${'<i>'}</b>`;
  expect(markup`<p title="${'"'}">${inner}${[inner, inner]}${undefined}${3}</p>`.text).toBe(
    '<p title="&quot;"><b>&lt;i&gt;</b><b>&lt;i&gt;</b><b>&lt;i&gt;</b>3</p>',
  );
  expect(join([new Html('<br>'), markup`a`], ' ').text).toBe('<br> a');
});

test('no text can put a tag or a quote into a template', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(markup`${text}`.text).not.toMatch(/[<>"']/);
    }),
  );
});
