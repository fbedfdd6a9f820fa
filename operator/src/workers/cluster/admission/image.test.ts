import { checkImageEntry, isAllowedImage, repositoryOf } from './image.ts';

test.each([
  ['registry.example/worker', 'registry.example/worker'],
  ['registry.example/worker:1', 'registry.example/worker'],
  ['registry.example:5000/worker', 'registry.example:5000/worker'],
  ['registry.example:5000/worker:1@sha256:00', 'registry.example:5000/worker'],
  ['worker@sha256:00', 'worker'],
])('repositoryOf(%s) is %s', (reference, repository) => {
  expect(repositoryOf(reference)).toBe(repository);
});

test.each([
  ['registry.example/worker:1', 'registry.example/worker', true],
  ['registry.example/worker@sha256:00', 'registry.example/worker', true],
  ['registry.example/worker-evil:1', 'registry.example/worker', false],
  ['registry.example/worker/evil:1', 'registry.example/worker', false],
  ['registry.example/worker:1', 'registry.example/worker:1', true],
  ['registry.example/worker:2', 'registry.example/worker:1', false],
  ['registry.example/team/worker:1', 'registry.example/team/*', true],
  ['registry.example/team-evil/worker:1', 'registry.example/team/*', false],
  ['registry.example.evil/team/worker:1', 'registry.example/*', false],
  ['docker.io/library/worker', 'worker', false],
  ['anything', '*', true],
])('isAllowedImage(%s) with the entry %s is %s', (reference, entry, allowed) => {
  expect(isAllowedImage(reference, [entry])).toBe(allowed);
  expect(isAllowedImage(reference, [])).toBe(false);
});

test('checkImageEntry refuses wildcards that would also allow other repositories', () => {
  for (const entry of ['worker', 'registry.example:5000/worker:1', 'registry.example/*', '*']) {
    expect(checkImageEntry(entry)).toBe(entry);
  }
  for (const entry of ['registry.example*', 'registry.*/worker', '**', '/*/*', 'a b']) {
    expect(() => checkImageEntry(entry)).toThrow(`"${entry}"`);
  }
});
