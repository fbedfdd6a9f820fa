import fc from 'fast-check';
import { model, tenant, yaml } from '../../testing/resources.ts';
import { parseFile } from './parse.ts';
import { describeFileProblems } from './problem.ts';

function problemsOf(content: string): string {
  const parsed = parseFile(content);
  return parsed.ok ? 'ok' : describeFileProblems(parsed.problems);
}

function keysOf(content: string): string[] {
  const parsed = parseFile(content);
  return parsed.ok ? parsed.found.map(({ key }) => key) : [];
}

test('parseFile reads every document of a file and fills in defaults', () => {
  const parsed = parseFile(`# comment\n---\n${yaml(tenant('acme'), model('m1'))}---\n# nothing\n---\n`);
  expect(parsed.ok && parsed.found.map(({ key, document }) => [key, document])).toEqual([
    ['Tenant/acme', 1],
    ['ASRModel/m1', 2],
  ]);
  expect(parsed.ok && parsed.found[0]?.resource.spec).toMatchObject({ state: 'Waitlisted', models: ['*'] });
});

test('parseFile reads JSON, even if it is indented with tabs', () => {
  expect(keysOf(JSON.stringify(tenant('acme')))).toEqual(['Tenant/acme']);
  expect(keysOf(JSON.stringify(tenant('acme'), null, '\t'))).toEqual(['Tenant/acme']);
});

test.each(['', '\n', '# only a comment\n', '---\n'])('parseFile accepts %j as a file without resources', (content) => {
  expect(parseFile(content)).toEqual({ ok: true, found: [] });
});

const head = 'apiVersion: asr.svc.dev/v1\nkind: Tenant\nmetadata:\n  name: acme\nspec:\n  displayName: Acme\n';

test.each([
  [
    `${head}  state: active\n`,
    'document 1, line 7, spec.state: must be one of Waitlisted, Active, Suspended, Declined',
  ],
  [
    `${head}  limits:\n    concurrentSessions: 0\n`,
    'document 1, line 8, spec.limits.concurrentSessions: must be at least 1',
  ],
  [
    `${head}  grants:\n    - {id: a, audioSeconds: 1}\n    - {id: b}\n`,
    'document 1, line 9, spec.grants.1.audioSeconds: is required',
  ],
  [`${head}  colour: red\n`, 'document 1, line 7, spec.colour: is not a known field'],
  [`${head}---\n${head}`, 'document 2, line 11, metadata.name: Tenant/acme is in document 1 already'],
  [`${head}---\nkind: Tenant\n`, 'document 2, line 8, apiVersion: must be asr.svc.dev/v1'],
  [`${head}  state: Active\n  state: Suspended\n`, 'document 1, line 8: Map keys must be unique'],
  ['just a sentence\n', 'document 1, line 1, apiVersion: must be asr.svc.dev/v1'],
  ['- 1\n- 2\n', 'document 1, line 1, apiVersion: must be asr.svc.dev/v1'],
  [`${head}  state: !secret Active\n`, 'document 1, line 7: Unresolved tag: !secret'],
  [`${head}  state: *nothing\n`, /^document 1, line 1: Unresolved alias/],
  [`${head}  models: ['*'\n`, /^document 1, line [78]: Flow sequence/],
])('parseFile reports the problem of %j', (content, expected) => {
  if (typeof expected === 'string') expect(problemsOf(content)).toBe(expected);
  else expect(problemsOf(content)).toMatch(expected);
});

test('parseFile reports the document as not valid if a validator refuses it without a reason', () => {
  const parsed = parseFile(head, () => ({ ok: false, problems: [] }));
  expect(parsed.ok || describeFileProblems(parsed.problems)).toBe('document 1, line 1: is not a valid resource');
});

test('parseFile reports the problems of all documents', () => {
  const content = `${head}  state: x\n---\n${head.replace('acme', 'other')}  colour: red\n`;
  expect(problemsOf(content)).toMatch(/^document 1, .*; document 2, /);
});

test('parseFile rejects aliases that would fill the memory', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
  for (let n = 0; n < 9; n++) {
    const [from, to] = [String.fromCharCode(97 + n), String.fromCharCode(98 + n)];
    bomb.push(`${to}: &${to} [${Array.from({ length: 9 }, () => `*${from}`).join(', ')}]`);
  }
  expect(problemsOf(bomb.join('\n'))).toMatch(/alias/i);
});

test('parseFile never throws, whatever a file contains', () => {
  const pieces = fc.constantFrom(
    head,
    '---\n',
    '  state: Active\n',
    '{',
    '}',
    '[',
    ']',
    '\t',
    ': ',
    '&a ',
    '*a',
    '"',
    '\0',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(pieces, fc.string()), { maxLength: 12 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, (content) => {
      const parsed = parseFile(content);
      if (!parsed.ok) expect(describeFileProblems(parsed.problems)).not.toBe('');
    }),
    { numRuns: 500 },
  );
});

test('parseFile skips a Member, which only the console reads', () => {
  expect(keysOf(`apiVersion: asr.svc.dev/v1\nkind: Member\nmetadata: {name: m}\n---\n${head}`)).toEqual([
    'Tenant/acme',
  ]);
});
