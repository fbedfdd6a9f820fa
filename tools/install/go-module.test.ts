import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildKey, goModuleFolder, parseGoModule, versionOf } from './go-module.ts';
import { findGoTool, GO_TOOLS, isFitting, pinOf, versionFlags } from './go-tools.ts';
import type { GoToolName } from './go-tools.ts';
import { isAtLeast, parseVersion } from './version.ts';

const GO_MOD = `module example

go 1.26.0

tool example.com/one/cmd/first

tool (
	example.com/two/second // a comment
	example.com/two/tools/third
)

require example.com/one v1.2.3

require (
	example.com/two v0.1.0 // indirect
	example.com/two/tools v0.2.0
)

replace example.com/two => example.com/two v0.1.0
`;

describe('parseGoModule', () => {
  const module = parseGoModule(GO_MOD);

  test('returns the tools of a go.mod file by program name', () => {
    expect(module.tools).toEqual({
      first: 'example.com/one/cmd/first',
      second: 'example.com/two/second',
      third: 'example.com/two/tools/third',
    });
  });

  test('returns the module versions, which versionOf finds by package path', () => {
    expect(versionOf(module, 'example.com/one/cmd/first')).toBe('v1.2.3');
    expect(versionOf(module, 'example.com/two/second')).toBe('v0.1.0');
    expect(versionOf(module, 'example.com/two/tools/third')).toBe('v0.2.0');
    expect(versionOf(module, 'example.com/twofold/x')).toBeUndefined();
  });
});

test('buildKey changes with the content of go.mod and go.sum and with the platform', () => {
  const keys = [
    buildKey('kwok', ['mod', 'sum'], 'linux-x64'),
    buildKey('kwok', ['mod2', 'sum'], 'linux-x64'),
    buildKey('kwok', ['mod', 'sum2'], 'linux-x64'),
    buildKey('kwok', ['mod', 'sum'], 'linux-arm64'),
    buildKey('kubernetes', ['mod', 'sum'], 'linux-x64'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(buildKey('kwok', ['mod', 'sum'], 'linux-x64')).toBe(keys[0]);
});

test.each(Object.keys(GO_TOOLS) as GoToolName[])(
  'the pinned tool %s has a tool directive in the go.mod of its module',
  (name) => {
    const { packagePath, version } = pinOf(name);
    expect(packagePath.endsWith(`/${name}`)).toBe(true);
    expect(version === '' ? name : isFitting(name, parseVersion(version))).toBe(version === '' ? 'pause' : true);
  },
);

test('all pinned parts of Kubernetes have the same version', () => {
  const text = readFileSync(join(goModuleFolder('kubernetes'), 'go.mod'), 'utf8');
  const parts = [...text.matchAll(/^\t(k8s\.io\/\S+) => (\S+) v0\.(\S+)$/gm)];
  expect(parts.length).toBeGreaterThan(20);
  for (const [, part, source, version] of parts) {
    expect(source).toBe(part);
    expect(`v1.${version}`).toBe(pinOf('kube-apiserver').version);
  }
});

test('isFitting accepts another patch version, but not another minor version', () => {
  const [major = 0, minor = 0] = parseVersion(pinOf('kube-apiserver').version) ?? [];
  expect(isFitting('kube-apiserver', [major, minor, 99])).toBe(true);
  expect(isFitting('kube-apiserver', [major, minor - 1, 0])).toBe(false);
  expect(isFitting('kubectl', undefined)).toBe(false);
});

test('versionFlags makes Go link the version into programs that do not contain it', () => {
  const { version } = pinOf('kubelet');
  const flags = versionFlags(['kubelet', 'kubectl']);
  expect(flags).toContain(`-X k8s.io/component-base/version.gitVersion=${version}`);
  expect(flags).toContain('-X k8s.io/client-go/pkg/version.gitMajor=1');
  expect(new Set(flags).size).toBe(flags.length);
  expect(versionFlags(['kubeconform', 'helm'])).toEqual([
    `-X main.version=${pinOf('kubeconform').version}`,
    `-X helm.sh/helm/v4/internal/version.version=${pinOf('helm').version}`,
  ]);
  expect(versionFlags(['kwok', 'coredns', 'pause'])).toEqual([]);
});

test('if a program cannot print its version, findGoTool uses this program only if this repository has built it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-path-'));
  const env = { ...process.env, PATH: folder, KUBEBUILDER_ASSETS: folder };
  try {
    writeFileSync(join(folder, 'helm-unittest'), '');
    expect(findGoTool('helm-unittest', env)).not.toBe(join(folder, 'helm-unittest'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('CoreDNS, whose main function is in this repository, has the version of the CoreDNS module', () => {
  expect(pinOf('coredns')).toMatchObject({
    packagePath: 'svc-asr/tools/go/coredns',
    version: expect.stringMatching(/^v1\./),
  });
});

test.each([
  ['Kubernetes v1.36.3', [1, 36, 3]],
  ['go version go1.26 linux/amd64', [1, 26, 0]],
  ['etcd Version: 3.4.23\nGo Version: go1.19.8', [3, 4, 23]],
  ['Client Version: v1.36.3\nKustomize Version: v5.8.1', [1, 36, 3]],
  ['nothing', undefined],
])('parseVersion reads the version from %j', (text, version) => {
  expect(parseVersion(text)).toEqual(version);
});

test('isAtLeast compares versions by their numbers', () => {
  expect(isAtLeast([1, 10, 0], [1, 9, 9])).toBe(true);
  expect(isAtLeast([1, 9, 9], [1, 10, 0])).toBe(false);
  expect(isAtLeast([2, 0, 0], [1, 99, 99])).toBe(true);
  expect(isAtLeast([1, 2, 3], [1, 2, 3])).toBe(true);
});
