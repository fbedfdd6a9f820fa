import fc from 'fast-check';
import { highlight, jsonCode } from './code.ts';

test('colours keys, texts and numbers of JSON', () => {
  expect(highlight('{"a": "b", "c": 1}', 'json').text).toBe(
    '{<i class="k">&quot;a&quot;</i>: <i class="s">&quot;b&quot;</i>, <i class="k">&quot;c&quot;</i>: <i class="n">1</i>}',
  );
});

test('keeps short lists of numbers on one line', () => {
  expect(jsonCode({ context: [56, 13] }).text).toContain('[<i class="n">56</i>, <i class="n">13</i>]');
});

test.each(['json', 'javascript', 'shell', 'other'])('colours of %s change nothing of the text', (language) => {
  const decode = (text: string) =>
    text
      .replace(/<\/?i( class="\w")?>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('<>"\'&`/#\\ \n-cur1:{}$')) }), (source) => {
      expect(decode(highlight(source, language).text)).toBe(source);
    }),
  );
});
