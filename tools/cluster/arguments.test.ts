import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findArchives } from './namespaces/images.ts';
import { parseClusterArguments } from './arguments.ts';

test('parseClusterArguments reads the action, its options and the files to load', () => {
  const files: string[] = [];
  expect(parseClusterArguments(['up', '--nodes', '2'])).toEqual({ action: 'up', name: 'default', nodes: 2, files });
  expect(parseClusterArguments(['down', '--name', 'x'])).toEqual({ action: 'down', name: 'x', nodes: 1, files });
  expect(parseClusterArguments(['load', 'a.tar'])).toMatchObject({ action: 'load', files: ['a.tar'] });
  expect(parseClusterArguments([])).toBeUndefined();
});

test('parseClusterArguments rejects an unknown action, and files with an action other than load', () => {
  expect(() => parseClusterArguments(['restart'])).toThrow('unknown command "restart"');
  expect(() => parseClusterArguments(['up', 'a.tar'])).toThrow('up takes no further argument: a.tar');
});

test('findArchives returns the image archives of this architecture, except those for GPUs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-archives-'));
  try {
    expect(() => findArchives(folder, 'x64')).toThrow('npm run images');
    for (const name of ['b-linux-amd64.tar', 'a-linux-amd64.tar', 'a-linux-arm64.tar', 'a-cuda-linux-amd64.tar'])
      writeFileSync(join(folder, name), '');
    expect(findArchives(folder, 'x64')).toEqual([join(folder, 'a-linux-amd64.tar'), join(folder, 'b-linux-amd64.tar')]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
