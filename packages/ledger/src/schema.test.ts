import { findMismatch } from './schema.ts';

describe('findMismatch for a program of version 3', () => {
  test.each([
    ['its own version', { version: 3, oldest: 2 }],
    ['the previous version', { version: 2, oldest: 1 }],
    ['the previous version, which its predecessor could not use', { version: 2, oldest: 2 }],
    ['a later version that it can use', { version: 4, oldest: 3 }],
  ])('accepts records of %s', (_name, stored) => {
    expect(findMismatch(stored, 3)).toBeUndefined();
  });

  test('refuses records of a later version that excludes version 3, and suggests the release that wrote them', () => {
    expect(findMismatch({ version: 5, oldest: 4 }, 3)).toBe(
      'The records in Redis have the schema version 5, which programs before version 4 cannot use. ' +
        'This program has version 3. ' +
        'Install the release that wrote the records, or restore a backup from before its installation',
    );
  });

  test('refuses records that are two versions older, and suggests the release in between', () => {
    expect(findMismatch({ version: 1, oldest: 1 }, 3)).toBe(
      'The records in Redis have the schema version 1. This program uses version 3 and can start with 2 or 3. ' +
        'Install a release with the schema version 2 first, and wait until its operator is ready',
    );
  });
});
