import type { JsonSchema } from '../json-schema.ts';
import { fields, resolve, rulesOf } from './fields.ts';

test.each<[JsonSchema, string[]]>([
  [{ const: 'model' }, ['always `model`']],
  [{ enum: ['a', 'b'] }, ['one of `a`, `b`']],
  [{ minimum: 1, maximum: 300, default: 60 }, ['1 to 300', 'default `60`']],
  [{ minimum: 0 }, []],
  [{ minLength: 1, maxLength: 128, pattern: '^a+$' }, ['1 to 128 characters', 'pattern `^a+$`']],
  [{ prefixItems: [{ const: 56 }, { const: 13 }], minItems: 2, maxItems: 2 }, ['`56`, then `13`']],
  [{ maxItems: 20 }, ['at most 20 items']],
])('rulesOf describes %j as %j', (schema, rules) => {
  expect(rulesOf(schema)).toEqual(rules);
});

test('fields() resolves references and renders nested fields', () => {
  const schemas: Record<string, JsonSchema> = {
    Inner: { type: 'object', properties: { deep: { type: 'integer', description: '<deep>' } }, required: ['deep'] },
  };
  const schema: JsonSchema = {
    type: 'object',
    properties: { list: { type: 'array', items: { $ref: '#/components/schemas/Inner' } } },
  };
  const { text } = fields(schema, schemas);
  expect(text).toMatch(/<code>list<\/code>.*array of objects.*optional/);
  expect(text).toMatch(/<code>deep<\/code>.*integer.*required/s);
  expect(text).toContain('&lt;deep&gt;');
});

test('resolve() throws on a reference that is not in the document', () => {
  expect(() => resolve({ $ref: '#/components/schemas/Nothing' }, {})).toThrow('is not in the document');
});
