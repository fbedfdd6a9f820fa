import { code, jsonCode } from './code.ts';

test('jsonCode highlights keys, strings and numbers', () => {
  const { text } = jsonCode({ a: 'b', c: 1 });
  expect(text).toContain('<span class="hljs-attr">&quot;a&quot;</span>');
  expect(text).toContain('<span class="hljs-string">&quot;b&quot;</span>');
  expect(text).toContain('<span class="hljs-number">1</span>');
});

test('jsonCode keeps a list of two numbers on one line', () => {
  const { text } = jsonCode({ context: [56, 13] });
  expect(text.replace(/<[^>]*>/g, '')).toContain('&quot;context&quot;: [56, 13]');
});

test.each(['json', 'javascript', 'python', 'shell', 'unknown'])('code() escapes HTML in %s', (language) => {
  const { text } = code('</code><script>"&amp;"</script>', language);
  expect(text.replace(/<\/?(pre|code|span)( [^>]*)?>/g, '')).not.toMatch(/[<>]/);
  expect(text).toContain('&amp;amp;');
});
