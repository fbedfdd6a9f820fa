import fc from 'fast-check';
import { appendGrants, MAX_GRANTS } from './grants.ts';
import type { Grant } from './grants.ts';

const grants = (count: number): Grant[] => Array.from({ length: count }, (_, n) => ({ id: `g${n}`, audioSeconds: n }));

test('appendGrants appends new grants, ignores known grants, and rejects a known id with another amount', () => {
  const one = { id: 'a', audioSeconds: 1 };
  const two = { id: 'b', audioSeconds: 2 };
  expect(appendGrants([one], [two])).toEqual([one, two]);
  expect(appendGrants([one], [one])).toEqual([one]);
  expect(() => appendGrants([one], [{ id: 'a', audioSeconds: 2 }])).toThrow('exists with 1 seconds');
  expect(() => appendGrants([], [two, { id: 'b', audioSeconds: 3 }])).toThrow('exists with 2 seconds');
});

test('appendGrants rejects more than MAX_GRANTS grants', () => {
  expect(appendGrants(grants(MAX_GRANTS - 1), [{ id: 'x', audioSeconds: 1 }])).toHaveLength(MAX_GRANTS);
  expect(() => appendGrants(grants(MAX_GRANTS), [{ id: 'x', audioSeconds: 1 }])).toThrow('maximum number of grants');
});

test('appendGrants never loses or changes an existing grant', () => {
  const list = fc.uniqueArray(fc.record({ id: fc.stringMatching(/^[a-e]$/), audioSeconds: fc.integer() }), {
    selector: ({ id }) => id,
  });
  fc.assert(
    fc.property(list, list, (current, added) => {
      const conflict = added.some((grant) =>
        current.some((known) => known.id === grant.id && known.audioSeconds !== grant.audioSeconds),
      );
      if (conflict) expect(() => appendGrants(current, added)).toThrow('cannot be changed');
      else expect(appendGrants(current, added).slice(0, current.length)).toEqual(current);
    }),
  );
});
