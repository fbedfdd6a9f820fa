import { root } from '../launch/terminal.mjs';
import { IMAGES, titleOf } from './image.ts';
import { readLockfile, resolvePackages } from './lockfile.ts';
import type { Lockfile } from './lockfile.ts';

const LOCKFILE: Lockfile = {
  gateway: { version: '1.0.0', dependencies: { '@own/core': '1', ws: '8', a: '1' } },
  'packages/core': { version: '1.0.0', dependencies: { typebox: '1' } },
  'node_modules/@own/core': { resolved: 'packages/core', link: true },
  'node_modules/typebox': { version: '1.0.0' },
  'packages/core/node_modules/typebox': { version: '2.0.0', integrity: 'sha512-x', license: 'MIT' },
  'node_modules/ws': { version: '8.0.0', peerDependencies: { 'not-installed': '*' } },
  'node_modules/a': {
    version: '1.0.0',
    dependencies: { b: '1', '@types/node': '24' },
    optionalDependencies: { 'a-linux-x64': '1', 'a-linux-arm64': '1', 'a-darwin': '1' },
  },
  'node_modules/a/node_modules/b': { version: '1.0.0', dependencies: { ws: '8' } },
  'node_modules/b': { version: '2.0.0' },
  'node_modules/a-linux-x64': { version: '1.0.0', os: ['linux'], cpu: ['x64'] },
  'node_modules/a-linux-arm64': { version: '1.0.0', os: ['linux'], cpu: ['arm64'] },
  'node_modules/a-darwin': { version: '1.0.0', os: ['!linux'] },
  'node_modules/@types/node': { version: '24.0.0' },
};

test('a workspace brings what it loads, each from the nearest folder, and nothing for other systems', () => {
  expect(resolvePackages(LOCKFILE, ['gateway'], 'x64').map(({ path }) => path)).toEqual([
    'gateway',
    'node_modules/a',
    'node_modules/a-linux-x64',
    'node_modules/a/node_modules/b',
    'node_modules/ws',
    'packages/core',
    'packages/core/node_modules/typebox',
  ]);
});

test('another architecture gets packages of its own', () => {
  const paths = resolvePackages(LOCKFILE, ['gateway'], 'arm64').map(({ path }) => path);
  expect(paths).toContain('node_modules/a-linux-arm64');
  expect(paths).not.toContain('node_modules/a-linux-x64');
});

test('name, version, checksum and licence of a package are known', () => {
  const found = resolvePackages(LOCKFILE, ['packages/core'], 'x64').find(({ name }) => name === 'typebox');
  expect(found).toMatchObject({ version: '2.0.0', integrity: 'sha512-x', license: 'MIT', isWorkspace: false });
});

test('a lockfile that lacks a dependency is refused', () => {
  expect(() => resolvePackages({ gateway: { dependencies: { ws: '8' } } }, ['gateway'], 'x64')).toThrow('no ws for');
});

const services = IMAGES.filter(({ loadtests }) => !loadtests);

test.each(services.map((image) => [titleOf(image), image] as const))('%s holds no tool of ours', (_title, image) => {
  const lockfile = readLockfile(root);
  for (const cpu of ['x64', 'arm64'] as const) {
    const names = resolvePackages(lockfile, image.workspaces, cpu).map(({ name }) => name);
    expect(names).toContain(image.name.replace('svc-asr-', '@svc-asr/'));
    expect(names).toContain('@svc-asr/core');
    for (const tool of ['typescript', 'jest', 'eslint', 'prettier', '@swc/core']) expect(names).not.toContain(tool);
    expect(names.includes('onnxruntime-node')).toBe(image.models);
  }
});
