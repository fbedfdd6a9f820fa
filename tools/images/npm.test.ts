import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { root } from '../launch/terminal.mjs';
import { workspacesOf } from './contents.ts';
import { IMAGES } from './image.ts';
import { askNpm, listPackages } from './npm.ts';

function createRepository(packages: Record<string, object>): string {
  const folder = temporaryFolder('npm');
  for (const path of ['', 'gateway', 'core']) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify(packages[path]));
  }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  return folder;
}

test('listPackages returns the production packages of a workspace for one CPU, each from the nearest node_modules folder', () => {
  const folder = createRepository({
    '': { name: 'own', version: '1.0.0', workspaces: ['gateway', 'core'], devDependencies: { tool: '1.0.0' } },
    gateway: { name: 'gateway', version: '1.0.0', dependencies: { core: '1.0.0', a: '1.0.0', '@types/a': '1.0.0' } },
    core: { name: 'core', version: '1.0.0', dependencies: { b: '2.0.0' } },
    'node_modules/gateway': { resolved: 'gateway', link: true },
    'node_modules/core': { resolved: 'core', link: true },
    'node_modules/a': {
      version: '1.0.0',
      dependencies: { b: '1.0.0' },
      peerDependencies: { 'not-installed': '*' },
      peerDependenciesMeta: { 'not-installed': { optional: true } },
    },
    'node_modules/@types/a': { version: '1.0.0' },
    'node_modules/b': {
      version: '1.0.0',
      optionalDependencies: { 'b-linux-x64': '1.0.0', 'b-linux-arm64': '1.0.0', 'b-win32-x64': '1.0.0' },
    },
    'node_modules/b-linux-x64': { version: '1.0.0', optional: true, os: ['linux'], cpu: ['x64'] },
    'node_modules/b-linux-arm64': { version: '1.0.0', optional: true, os: ['linux'], cpu: ['arm64'] },
    'node_modules/b-win32-x64': { version: '1.0.0', optional: true, os: ['win32'], cpu: ['x64'] },
    'core/node_modules/b': { version: '2.0.0' },
    'node_modules/tool': { version: '1.0.0', dev: true },
  });
  expect(listPackages(folder, ['gateway'], 'arm64')).toEqual([
    { name: 'core', version: '1.0.0', path: 'core', isWorkspace: true },
    { name: 'b', version: '2.0.0', path: 'core/node_modules/b', isWorkspace: false },
    { name: 'gateway', version: '1.0.0', path: 'gateway', isWorkspace: true },
    { name: 'a', version: '1.0.0', path: 'node_modules/a', isWorkspace: false },
    { name: 'b', version: '1.0.0', path: 'node_modules/b', isWorkspace: false },
    { name: 'b-linux-arm64', version: '1.0.0', path: 'node_modules/b-linux-arm64', isWorkspace: false },
  ]);
});

test('askNpm throws an error that contains the failed npm command', () => {
  const folder = createRepository({ '': { name: 'own' }, gateway: {}, core: {} });
  expect(() => askNpm(folder, ['sbom', '--workspace=missing'])).toThrow('npm sbom --workspace=missing');
});

const services = IMAGES.filter(({ layers }) => workspacesOf(layers).length > 0);

test.each(services.map(({ name, layers }) => [name, layers] as const))(
  'the image %s contains its service and no development tool',
  (name, layers) => {
    const names = listPackages(root, workspacesOf(layers), 'arm64').map((entry) => entry.name);
    expect(names).toContain(name.replace('svc-asr-', '@svc-asr/'));
    expect(names).toContain('@svc-asr/core');
    const tools = ['typescript', 'jest', 'eslint', 'oxfmt', 'oxlint', 'adm-zip', 'global-agent'];
    expect(names.filter((entry) => tools.includes(entry) || entry.startsWith('@types/'))).toEqual([]);
    expect(names.includes('onnxruntime-node')).toBe(name === 'svc-asr-worker');
    const native = name === 'svc-asr-worker' ? ['@koromix/koffi-linux-arm64', 'koffi'] : [];
    expect(names.filter((entry) => entry.includes('koffi'))).toEqual(native);
  },
);
