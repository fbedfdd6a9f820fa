import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkResource, KINDS } from '@svc-asr/core';
import { parse } from 'yaml';
import { root } from '../launch/terminal.mjs';
import { buildSchema } from './definition.ts';
import { EXAMPLES } from './examples.ts';
import { buildFiles } from './files.ts';
import { RULE_CASES } from './testing/rule-cases.ts';
import { rulesOf, walk } from './testing/walk.ts';

const schemas = KINDS.map((kind) => [kind, buildSchema(kind)] as const);

test.each(Object.entries(buildFiles()))('%s matches the schemas (run `npm run crds` to update it)', (name, content) => {
  expect(readFileSync(join(root, name), 'utf8')).toBe(content);
});

test('crds/ contains exactly one definition for each kind', () => {
  const files = readdirSync(join(root, 'crds')).filter((name) => name.endsWith('.yaml'));
  expect(files.sort()).toEqual(['apikeys.yaml', 'asrmodels.yaml', 'members.yaml', 'tenants.yaml']);
});

test.each(schemas)('every field of %s has a description', (_kind, schema) => {
  const named = walk(schema).filter(({ path }) => /\.\w+$/.test(path) && !path.startsWith('.metadata'));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ field: { description = '' } }) => description === '').map(({ path }) => path)).toEqual([]);
});

// Without limits, one resource could fill etcd, and the API server could not estimate the cost of rules.
test.each(schemas)('strings, lists and maps in the spec of %s have a maximum size', (_kind, schema) => {
  const unbounded = walk(schema.properties?.spec ?? {}).filter(({ field }) => {
    if (field.type === 'string') return field.maxLength === undefined && field.enum === undefined;
    if (field.type === 'array') return field.maxItems === undefined;
    return field.additionalProperties !== undefined && field.maxProperties === undefined;
  });
  expect(unbounded.map(({ path }) => path)).toEqual([]);
});

test('every validation rule has a message that states what to do, and examples that it rejects and accepts', () => {
  const messages = schemas
    .flatMap(([, schema]) => walk(schema).flatMap((field) => rulesOf(field)))
    .map((r) => r.message);
  expect(messages.length).toBeGreaterThanOrEqual(RULE_CASES.length);
  expect(messages.filter((text) => !text.includes(': '))).toEqual([]);
  const covered = (text: string) => RULE_CASES.some(({ message }) => text.startsWith(message));
  expect(messages.filter((text) => !covered(text))).toEqual([]);
});

test.each(RULE_CASES.filter(({ before }) => before === undefined).map((rule) => [rule.message, rule] as const))(
  'checkResource enforces the rule: %s',
  (_message, { refused, accepted }) => {
    for (const resource of refused) expect([resource, checkResource(resource).ok]).toEqual([resource, false]);
    for (const resource of accepted) expect([resource, checkResource(resource).ok]).toEqual([resource, true]);
  },
);

test.each(Object.entries(EXAMPLES))('the example of %s in the docs is a valid resource', (kind, text) => {
  expect(checkResource(parse(text))).toMatchObject({ ok: true, value: { kind } });
});
