import { buildCode, CODE_KINDS } from './code.ts';
import type { CodeFacts } from './code.ts';

const FACTS: CodeFacts = {
  apiUrl: 'https://asr.example',
  caFile: null,
  model: 'svc-asr-kikuyu-v1',
  maxAudioSeconds: 60,
  config: { context: [56, 3], endpointing: { silence_ms: 500 } },
  key: { name: 'laptop', lastFour: 'x7Qz' },
};

test.each(CODE_KINDS)(
  'the code for %s contains the model, the variable SVC_ASR_API_KEY and the name of the API key, but not the API key itself',
  (kind) => {
    const code = buildCode(kind, FACTS);
    expect(code).toContain('svc-asr-kikuyu-v1');
    expect(code).toContain('the key "laptop", which ends with x7Qz');
    expect(code).toContain('SVC_ASR_API_KEY');
    expect(code).not.toMatch(/svc_live_|undefined|MODEL/);
  },
);

test.each(CODE_KINDS)('the code for %s contains the configuration that was chosen in the playground', (kind) => {
  const code = buildCode(kind, FACTS);
  expect(code).toMatch(/\[56,3\]|\(56, 3\)/);
  expect(code).toMatch(/"silence_ms":500|endpointing_ms=500/);
});

test.each(['node', 'python'] as const)('the code for %s names the package to install', (kind) => {
  expect(buildCode(kind, FACTS)).toMatch(/Install (@svc-asr\/client|svc_asr) first/);
});

test.each(['curl', 'node', 'python'] as const)(
  'the code for %s uses the CA file of the API if the API has one',
  (kind) => {
    expect(buildCode(kind, { ...FACTS, caFile: '/certs/ca.crt' })).toContain('/certs/ca.crt');
  },
);

test.each(CODE_KINDS)('a key name with a line break stays inside the comment of the code for %s', (kind) => {
  const code = buildCode(kind, { ...FACTS, key: { name: 'a\nrm -rf b', lastFour: 'x7Qz' } });
  const [line = ''] = code.split('\n').filter((each) => each.includes('rm -rf b'));
  expect(line).toMatch(/^(#|\/\/) .*"a rm -rf b"/);
});

test('the curl command quotes the path of a CA file if the path contains a space and an apostrophe', () => {
  expect(buildCode('curl', { ...FACTS, caFile: "/my certs/o'ca.crt" })).toContain(
    String.raw`--cacert '/my certs/o'\''ca.crt'`,
  );
});

test('if a key has no name, the code identifies the key by its last four characters', () => {
  const code = buildCode('curl', { ...FACTS, key: { name: '', lastFour: 'x7Qz' } });
  expect(code).toContain('SVC_ASR_API_KEY must contain the key that ends with x7Qz.');
});

test('the Python code leaves out a configuration that was not chosen', () => {
  const code = buildCode('python', { ...FACTS, config: {} });
  expect(code).toContain('transcribe_file(client, "audio.wav", model="svc-asr-kikuyu-v1")');
});
