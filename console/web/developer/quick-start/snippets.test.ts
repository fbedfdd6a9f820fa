import { snippetOf } from './snippets.ts';

const TARGET = { apiUrl: 'https://asr.example', caFile: null, model: 'svc-asr-kikuyu-v1' };

test.each(['curl', 'node', 'python', 'browser'] as const)(
  'the example for %s names the API and the model, and contains no placeholder',
  (language) => {
    const { file, command } = snippetOf(language, TARGET);
    const text = `${file?.text ?? ''}\n${command}`;
    expect(text).toContain('https://asr.example/v1/');
    expect(text).toContain('svc-asr-kikuyu-v1');
    expect(text).not.toMatch(/\bMODEL\b|YOUR_|\.\.\./);
    expect(text).not.toMatch(/ca\.crt/);
  },
);

test('the examples quote the path of a CA file that contains a space or an apostrophe', () => {
  const target = { ...TARGET, caFile: "/my home/it's.crt" };
  expect(snippetOf('curl', target).command).toMatch(/^curl --cacert '\/my home\/it'\\''s\.crt' https/);
  expect(snippetOf('node', target).command).toMatch(/^NODE_EXTRA_CA_CERTS='\/my home\/it'\\''s\.crt' node/);
  expect(snippetOf('python', target).file?.text).toContain(`cafile="/my home/it's.crt"`);
});
