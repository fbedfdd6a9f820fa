import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHROMIUM } from './chromium.ts';
import { CONTAINERS, findContainers } from './containers.ts';
import { ETCD, etcdEnvironment } from './etcd.ts';
import { findManager, findOnPath, planInstall } from './package-manager.ts';
import type { PackageManager } from './package-manager.ts';
import { findPrometheus, PROMETHEUS } from './prometheus.ts';
import { REDIS } from './redis.ts';
import { chooseServer, parseServerVersion } from './redis-version.ts';

test.each([
  ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=8', '7.0.15'],
  ['Valkey server v=8.1.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1', '8.1.1'],
  ['bash: redis-server: no such file', undefined],
])('parseServerVersion reads the version from %j', (output, version) => {
  expect(parseServerVersion(output)).toBe(version);
});

test('chooseServer returns the first server of version 7 or newer', () => {
  const old = { path: '/usr/bin/redis-server', version: '6.0.16' };
  const recent = { path: '/usr/bin/valkey-server', version: '8.1.1' };
  expect(chooseServer([old, recent])).toBe(recent);
  expect(chooseServer([{ path: '/x', version: '10.0.0' }])).toBeDefined();
  expect(chooseServer([old])).toBeUndefined();
  expect(chooseServer([])).toBeUndefined();
});

test('planInstall uses the package manager without sudo for root', () => {
  expect(planInstall(REDIS, { manager: 'apt-get', isRoot: true, canSudo: false })).toEqual({
    script: 'redis-apt.sh',
    sudo: false,
  });
});

test('planInstall uses sudo if the user is not root', () => {
  expect(planInstall(REDIS, { manager: 'dnf', isRoot: false, canSudo: true })).toEqual({
    script: 'redis-dnf.sh',
    sudo: true,
  });
});

test('planInstall never runs Homebrew as root', () => {
  expect(planInstall(REDIS, { manager: 'brew', isRoot: false, canSudo: true })).toEqual({
    script: 'redis-brew.sh',
    sudo: false,
  });
});

test('planInstall returns the command for a user who cannot install packages', () => {
  expect(planInstall(REDIS, { manager: 'apk', isRoot: false, canSudo: false })).toEqual({
    problem: expect.stringContaining('Run as root, then start again: apk add valkey'),
  });
});

test('planInstall reports that there is no package manager', () => {
  expect(planInstall(REDIS, { manager: undefined, isRoot: true, canSudo: false })).toEqual({
    problem: expect.stringContaining('none of apt-get, dnf, apk, brew is there'),
  });
});

test.each([REDIS, ETCD, CHROMIUM, CONTAINERS, PROMETHEUS])(
  'every package manager has an install script for $title',
  ({ byHand, ...rest }) => {
    for (const manager of Object.keys(byHand) as PackageManager[]) {
      const plan = planInstall({ byHand, ...rest }, { manager, isRoot: true, canSudo: false });
      expect('script' in plan && existsSync(join(import.meta.dirname, plan.script))).toBe(true);
    }
  },
);

test('etcdEnvironment allows etcd to run on arm64', () => {
  expect(etcdEnvironment('arm64')).toEqual({ ETCD_UNSUPPORTED_ARCH: 'arm64' });
  expect(etcdEnvironment('x64')).toEqual({});
});

test('findManager, findOnPath and findPrometheus find programs on PATH', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-path-'));
  try {
    writeFileSync(join(folder, 'apt-get'), '');
    expect(findManager(`/nowhere:${folder}`)).toBe('apt-get');
    expect(findOnPath('apt-get', folder)).toBe(join(folder, 'apt-get'));
    expect(findOnPath('no-such-program', folder)).toBeUndefined();
    for (const name of ['prometheus', 'promtool']) writeFileSync(join(folder, name), '');
    expect(findPrometheus(folder)).toEqual({ server: join(folder, 'prometheus'), tool: join(folder, 'promtool') });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('findContainers returns undefined unless all programs and plugins are present', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-path-'));
  const plugins = join(folder, 'cni');
  try {
    mkdirSync(plugins);
    for (const name of ['ptp', 'host-local', 'portmap']) writeFileSync(join(plugins, name), '');
    expect(findContainers(folder, [plugins])).toBeUndefined();
    writeFileSync(join(plugins, 'loopback'), '');
    const programs = [
      'containerd',
      'ctr',
      'runc',
      'iptables',
      'iptables-restore',
      'ip',
      'nsenter',
      'unshare',
      'sysctl',
      'socat',
    ];
    for (const name of programs) writeFileSync(join(folder, name), '');
    expect(findContainers(folder, ['/nowhere', plugins])).toEqual({
      containerd: join(folder, 'containerd'),
      ctr: join(folder, 'ctr'),
      cniFolder: plugins,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
