import fc from 'fast-check';
import Type from 'typebox';
import { checker, describeProblems, validator } from './validate.ts';

const check = validator(
  Type.Object(
    {
      name: Type.String({ minLength: 1 }),
      count: Type.Integer({ minimum: 1, maximum: 3, default: 2 }),
      kind: Type.Optional(Type.Enum(['a', 'b'])),
      inner: Type.Optional(Type.Object({ deep: Type.Boolean() }, { additionalProperties: false })),
    },
    { additionalProperties: false },
  ),
);

function problems(value: unknown): string {
  const result = check(value);
  return result.ok ? 'ok' : describeProblems(result.problems);
}

test.each([
  [{}, 'name: is required'],
  [{ name: 'x', count: 0 }, 'count: must be at least 1'],
  [{ name: 'x', count: 4 }, 'count: must be at most 3'],
  [{ name: 'x', count: 1.5 }, 'count: must be integer'],
  [{ name: 'x', count: 1, other: 1 }, 'other: is not a known field'],
  [{ name: 'x', count: 1, kind: 'c' }, 'kind: must be one of a, b'],
  [{ name: 'x', count: 1, inner: { deep: 1 } }, 'inner.deep: must be boolean'],
  [{ name: 'x', count: 1, inner: { deep: true, more: 1 } }, 'inner.more: is not a known field'],
  [[], 'must be object'],
  [null, 'must be object'],
])('validator() reports the wrong field of %j', (value, expected) => {
  expect(problems(value)).toBe(expected);
});

test('validator() treats an own property named __proto__ as an unknown field', () => {
  expect(problems(JSON.parse('{"name":"x","count":1,"__proto__":{}}'))).toBe('__proto__: is not a known field');
});

test('validator() adds defaults to a copy and leaves the given value unchanged', () => {
  const given = { name: 'x' };
  expect(check(given)).toEqual({ ok: true, value: { name: 'x', count: 2 } });
  expect(given).toEqual({ name: 'x' });
});

test('validator() reports unknown fields in the order in which the value contains them, even if they are many', () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`extra${n}`, 1]));
  expect(problems({ name: 'x', ...many })).toMatch(/^extra0: is not a known field; extra1: is not a known field/);
});

test('validator() reports a problem for every value that it refuses', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const result = check(value);
      expect(result.ok || result.problems.length > 0).toBe(true);
    }),
  );
});

test('checker() compiles its schema at the first check, and only once', () => {
  let reads = 0;
  const properties = () => {
    reads += 1;
    return {};
  };
  const checkObject = checker(Object.defineProperty(Type.Object({}), 'properties', { get: properties }));
  expect(reads).toBe(0);
  expect(checkObject({}).ok).toBe(true);
  const readsOfFirstCall = reads;
  expect(readsOfFirstCall).toBeGreaterThan(0);
  expect(checkObject({}).ok).toBe(true);
  expect(reads).toBe(readsOfFirstCall);
});
