import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled } from './packages.mjs';
import { root } from './terminal.mjs';

describe('isInstalled', () => {
  const lockfile = {
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0', integrity: 'x' },
      'node_modules/for-another-system': { version: '1.0.0', integrity: 'y', optional: true },
      'packages/cli': { version: '0.1.0', bin: { 'svc-asr': 'bin/svc-asr.mjs' } },
    },
  };
  const a = { 'node_modules/a': { version: '1.0.0', integrity: 'x' } };
  const cli = { 'packages/cli': { version: '0.1.0', bin: { 'svc-asr': 'bin/svc-asr.mjs' } } };

  test('is true when only an optional package is missing', () => {
    const packages = { ...a, ...cli, 'node_modules/more': { version: '1.0.0' } };
    expect(isInstalled(lockfile, { packages })).toBe(true);
  });

  test.each([
    ['a package is missing', cli],
    ['a package has another version', { ...cli, 'node_modules/a': { version: '1.0.1', integrity: 'x' } }],
    ['a package has another checksum', { ...cli, 'node_modules/a': { version: '1.0.0', integrity: 'z' } }],
    ['the command of a workspace is not linked yet', { ...a, 'packages/cli': { version: '0.1.0' } }],
  ])('is false when %s', (_condition, packages) => {
    expect(isInstalled(lockfile, { packages })).toBe(false);
  });
});

describe('package-lock.json', () => {
  test('is accepted by npm ci, so it agrees with every package.json and names the packages of all platforms', () => {
    const { status, stderr } = spawnSync('npm', ['ci', '--dry-run', '--offline'], { cwd: root, encoding: 'utf8' });
    expect({ status, errors: stderr.match(/^npm error .*$/gm) }).toEqual({ status: 0, errors: null });
  });

  test('has a checksum for every package and names no registry', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }>;
    };
    const faulty = Object.entries(packages)
      .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
      .filter(([, { resolved, integrity }]) => resolved !== undefined || integrity === undefined);
    expect(faulty.map(([path]) => path)).toEqual([]);
  });
});
