import Type from 'typebox';
import { quoteValues } from './quote.ts';
import { checker, describeProblems } from './validate.ts';

const check = checker(
  Type.Object(
    { count: Type.Integer({ maximum: 3 }), context: Type.Optional(Type.Array(Type.Integer(), { maxItems: 2 })) },
    { additionalProperties: false },
  ),
);

function problems(value: unknown): string {
  const result = check(value);
  return result.ok ? 'ok' : describeProblems(quoteValues(result.problems, value));
}

test.each([
  [{ count: 4 }, 'count: must be at most 3 (received 4)'],
  [{ count: '4' }, 'count: must be integer (received "4")'],
  [{ count: 'x'.repeat(31) }, `count: must be integer (received "${'x'.repeat(31)}")`],
  [{ count: 'en_US' }, 'count: must be integer (received "en_US")'],
  [{ count: 'svc-asr' }, 'count: must be integer (received "svc-asr")'],
  [{ count: null }, 'count: must be integer (received null)'],
  [{ count: [] }, 'count: must be integer (received [])'],
  [{ count: 1, context: [1, 2, 3] }, 'context: must not have more than 2 items (received [1, 2, 3])'],
  [{ count: 1, context: [1, 0.5] }, 'context.1: must be integer (received 0.5)'],
  [7, 'must be object (received 7)'],
])('quoteValues adds the wrong value in %j to the message', (value, expected) => {
  expect(problems(value)).toBe(expected);
});

test.each([
  ['a missing field', {}, 'count: is required'],
  ['an unknown field', { count: 1, other: 5 }, 'other: is not a known field'],
  ['an object', { count: { deep: 1 } }, 'count: must be integer'],
  ['a text of more than 31 characters', { count: 'x'.repeat(32) }, 'count: must be integer'],
  ['the start of an API key', { count: `svc_live_v1_${'a'.repeat(10)}` }, 'count: must be integer'],
  ['the start of a session credential', { count: `svc.auth.${'a'.repeat(10)}` }, 'count: must be integer'],
  ['a list with a text', { count: ['x'] }, 'count: must be integer'],
])('quoteValues does not repeat the value of %s', (_name, value, expected) => {
  expect(problems(value)).toBe(expected);
});

test('quoteValues truncates a long list', () => {
  const list = `[${'1000, '.repeat(6)}1000…]`;
  expect(problems({ count: Array.from({ length: 5000 }, () => 1000) })).toBe(
    `count: must be integer (received ${list})`,
  );
});
