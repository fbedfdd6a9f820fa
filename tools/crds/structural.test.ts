import Type from 'typebox';
import { toStructural } from './structural.ts';

test('toStructural converts a union with null to a nullable field, and a field with a default to an optional field', () => {
  const schema = Type.Object({
    until: Type.Union([Type.String({ maxLength: 9 }), Type.Null()]),
    name: Type.String({ default: '' }),
    mode: Type.Enum(['A', 'B']),
  });
  expect(toStructural(schema)).toEqual({
    type: 'object',
    required: ['until', 'mode'],
    properties: {
      until: { type: 'string', maxLength: 9, nullable: true },
      name: { type: 'string', default: '' },
      mode: { type: 'string', enum: ['A', 'B'] },
    },
  });
});

test('toStructural converts a union of string and integer to x-kubernetes-int-or-string', () => {
  const amount = Type.Union([Type.String({ pattern: '^[0-9]+$' }), Type.Integer({ minimum: 0 })]);
  expect(toStructural(Type.Record(Type.String(), amount, { maxProperties: 2 }))).toEqual({
    type: 'object',
    maxProperties: 2,
    additionalProperties: {
      pattern: '^[0-9]+$',
      minimum: 0,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
    },
  });
});

test('toStructural includes the defaults of fields in the default of their object', () => {
  const inner = Type.Object({ b: Type.Integer({ default: 2 }) }, { default: {} });
  const schema = Type.Object({ a: Type.Integer({ default: 1 }), inner }, { default: { a: 3 } });
  expect(toStructural(schema).default).toEqual({ a: 3, inner: { b: 2 } });
});

test('toStructural keeps x-kubernetes extensions', () => {
  const list = Type.Array(Type.String(), { 'x-kubernetes-list-type': 'set', maxItems: 3 });
  expect(toStructural(list)).toEqual({
    type: 'array',
    maxItems: 3,
    'x-kubernetes-list-type': 'set',
    items: { type: 'string' },
  });
});

test.each([
  ['an unsupported keyword', Type.Array(Type.String(), { uniqueItems: true })],
  ['a constant', Type.Literal('x')],
  ['alternatives of objects', Type.Union([Type.Object({}), Type.Object({})])],
  ['a number or text', Type.Union([Type.String(), Type.Number()])],
])('toStructural rejects %s', (_what, schema) => {
  expect(() => toStructural(schema)).toThrow(/no structural form is known/);
});
