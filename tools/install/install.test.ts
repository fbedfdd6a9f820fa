import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import {
  CHROMIUM,
  CONTAINERS,
  ETCD,
  etcdEnvironment,
  findContainers,
  findRedis,
  PROMETHEUS,
  REDIS,
} from './programs.ts';
import { findPython, PYTHON } from './python.ts';
import { findManager, findOnPath, planInstall } from './system-package.ts';

/** Creates an executable that prints a text. */
function writeProgram(folder: string, name: string, output: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\necho '${output}'\n`);
  chmodSync(file, 0o755);
  return file;
}

test('findRedis returns the first server on PATH of version 7 or newer', () => {
  const folder = temporaryFolder('redis');
  writeProgram(folder, 'redis-server', 'Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=8');
  expect(findRedis(folder)).toBeUndefined();
  const path = writeProgram(folder, 'valkey-server', 'Valkey server v=8.1.1 sha=00000000:0 bits=64 build=1');
  expect(findRedis(folder)).toEqual({ path, version: '8.1.1' });
});

test('findPython ignores a Python older than 3.10', () => {
  const folder = temporaryFolder('python');
  const path = writeProgram(folder, 'python3', 'Python 3.9.18');
  expect(findPython(folder)).toBeUndefined();
  writeProgram(folder, 'python3', 'Python 3.12.1');
  expect(findPython(folder)).toEqual({ path, version: '3.12.1' });
});

describe('planInstall', () => {
  test('uses the package manager without sudo for root', () => {
    expect(planInstall(PROMETHEUS, { manager: 'apk', isRoot: true, canSudo: false })).toEqual([
      ['apk', 'add', '--no-cache', '--quiet', 'prometheus'],
    ]);
  });

  test('uses sudo if the user is not root, and returns one command for each alternative package, in order', () => {
    expect(planInstall(REDIS, { manager: 'dnf', isRoot: false, canSudo: true })).toEqual([
      ['sudo', 'dnf', 'install', '-y', '-q', 'valkey'],
      ['sudo', 'dnf', 'install', '-y', '-q', 'redis'],
    ]);
  });

  test('does not use sudo for Homebrew', () => {
    expect(planInstall(ETCD, { manager: 'brew', isRoot: false, canSudo: true })).toEqual([
      ['brew', 'install', '--quiet', 'etcd'],
    ]);
  });

  test('throws an error with the command that root must run if the user cannot install packages', () => {
    const install = () => planInstall(REDIS, { manager: 'apt-get', isRoot: false, canSudo: false });
    expect(install).toThrow(/Run this as root, then try again: apt-get install redis-server$/);
  });

  test('throws if there is no package manager', () => {
    const install = () => planInstall(REDIS, { manager: undefined, isRoot: true, canSudo: false });
    expect(install).toThrow('there is no apt-get, dnf, apk, brew');
  });

  test('throws for container programs on macOS, because they need the Linux kernel', () => {
    const install = () => planInstall(CONTAINERS, { manager: 'brew', isRoot: false, canSudo: true });
    expect(install).toThrow('Use a Linux machine');
  });

  test.each([REDIS, ETCD, CHROMIUM, CONTAINERS, PROMETHEUS, PYTHON])(
    'has packages of $title for apt-get, dnf and apk',
    (wanted) => {
      for (const manager of ['apt-get', 'dnf', 'apk'] as const) {
        expect(planInstall(wanted, { manager, isRoot: true, canSudo: false })).not.toEqual([]);
      }
    },
  );
});

test('etcdEnvironment allows etcd to run on arm64', () => {
  expect(etcdEnvironment('arm64')).toEqual({ ETCD_UNSUPPORTED_ARCH: 'arm64' });
  expect(etcdEnvironment('x64')).toEqual({});
});

test('findManager and findOnPath find programs on PATH', () => {
  const folder = temporaryFolder('path');
  writeFileSync(join(folder, 'apt-get'), '');
  expect(findManager(`/nowhere:${folder}`)).toBe('apt-get');
  expect(findOnPath('apt-get', folder)).toBe(join(folder, 'apt-get'));
  expect(findOnPath('no-such-program', folder)).toBeUndefined();
});

test('findContainers returns undefined unless all programs and plugins are present', () => {
  const folder = temporaryFolder('path');
  const plugins = join(folder, 'cni');
  mkdirSync(plugins);
  for (const name of ['ptp', 'host-local', 'portmap']) writeFileSync(join(plugins, name), '');
  const programs = ['containerd', 'ctr', 'runc', 'iptables', 'iptables-restore', 'ip', 'nsenter', 'unshare', 'sysctl'];
  for (const name of [...programs, 'socat']) writeFileSync(join(folder, name), '');
  expect(findContainers(folder, [plugins])).toBeUndefined();
  writeFileSync(join(plugins, 'loopback'), '');
  expect(findContainers(folder, ['/nowhere', plugins])).toEqual({
    containerd: join(folder, 'containerd'),
    ctr: join(folder, 'ctr'),
    cniFolder: plugins,
  });
});
