import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeImage } from './build.ts';
import { listContents } from './contents.ts';
import type { Sources } from './contents.ts';
import { buildImageConfig } from './image-config.ts';
import { IMAGES, titleOf } from './image.ts';
import type { ServiceImage } from './image.ts';
import { root as repository } from '../launch/terminal.mjs';
import { loadtestFiles } from './loadtest-files.ts';
import { describeImage } from './report.ts';
import { buildSbom } from './sbom.ts';

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'svc-asr-contents-'))));
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function imageOf(title: string): ServiceImage {
  return IMAGES.find((image) => titleOf(image) === title)!;
}

/** A small repository with everything that a worker's image takes from a big one. */
function makeSources(): Sources {
  write('worker/package.json', '{}');
  write('worker/src/main.ts');
  write('worker/src/main.test.ts');
  write('worker/dist/main.js', 'run();');
  write('worker/dist/left-by-an-earlier-build.js');
  write('worker/models/one/model.onnx');
  write('worker/models/one/eval/a.wav');
  write('worker/models/README.md');
  write('node_modules/onnxruntime-node/package.json', '{}');
  write('node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1', 'from npm');
  write('node_modules/onnxruntime-node/bin/napi-v6/linux/arm64/libonnxruntime.so.1');
  write('node/bin/node', 'node');
  write('node/LICENSE');
  write('libc6/lib/x86_64-linux-gnu/libc.so.6', 'libc');
  write('libc6/lib64/ld-linux-x86-64.so.2', 'ld');
  write('libc6/usr/lib/x86_64-linux-gnu/gconv/BIG5.so');
  write('libc6/usr/share/doc/libc6/copyright');
  write('ca/usr/share/ca-certificates/mozilla/a.crt', 'A');
  write('ca/usr/share/ca-certificates/mozilla/b.crt', 'B');
  write('ort/onnxruntime/capi/libonnxruntime.so.1.30.0', 'from the wheel');
  write('ort/onnxruntime/capi/libonnxruntime_providers_cuda.so');
  write('cudart/nvidia/cu13/lib/libcudart.so.13');
  return {
    root,
    lockfile: {
      worker: { name: '@svc-asr/worker', version: '0.1.0', dependencies: { 'onnxruntime-node': '1' } },
      'node_modules/onnxruntime-node': { version: '1.30.0', license: 'MIT', integrity: 'sha512-AAAA' },
    },
    debian: [
      { name: 'libc6', version: '2.36-9', folder: join(root, 'libc6') },
      { name: 'ca-certificates', version: '2025', folder: join(root, 'ca') },
    ],
    node: join(root, 'node'),
    cuda: [
      { name: 'onnxruntime-gpu', version: '1.30.0', folder: join(root, 'ort') },
      { name: 'nvidia-cuda-runtime', version: '13.0.96', folder: join(root, 'cudart') },
    ],
    k6: undefined,
  };
}

function listPaths(title: string): string[] {
  const { layers } = listContents(imageOf(title), 'linux/amd64', makeSources());
  return layers.flatMap(({ files }) => files.map(({ path }) => path));
}

const ORT = 'app/node_modules/onnxruntime-node/bin/napi-v6/linux/x64';

test('an image holds libraries, Node, dependencies, models and the program, and nothing else', () => {
  expect(listPaths('svc-asr-worker').sort()).toEqual(
    [
      'lib',
      'lib64',
      'tmp',
      'usr/lib64',
      'etc/passwd',
      'etc/group',
      'etc/nsswitch.conf',
      'etc/ssl/certs/ca-certificates.crt',
      'etc/ssl/cert.pem',
      'usr/lib/x86_64-linux-gnu/libc.so.6',
      'usr/lib64/ld-linux-x86-64.so.2',
      'usr/share/doc/libc6/copyright',
      'usr/local/bin/node',
      'usr/share/doc/node/LICENSE',
      'app/node_modules/onnxruntime-node/package.json',
      `${ORT}/libonnxruntime.so.1`,
      'models/one/model.onnx',
      'app/worker/package.json',
      'app/worker/dist/main.js',
      'app/node_modules/@svc-asr/worker',
    ].sort(),
  );
});

test('the CUDA image has the core of the build that its provider is from, once', () => {
  const paths = listPaths('svc-asr-worker-cuda');
  expect(paths).toContain(`${ORT}/libonnxruntime_providers_cuda.so`);
  expect(paths).toContain('usr/lib/x86_64-linux-gnu/libcudart.so.13');
  const { layers } = listContents(imageOf('svc-asr-worker-cuda'), 'linux/amd64', makeSources());
  const cores = layers.flatMap(({ files }) => files).filter(({ path }) => path === `${ORT}/libonnxruntime.so.1`);
  expect(cores.map(({ from }) => from)).toEqual([
    { file: join(root, 'ort/onnxruntime/capi/libonnxruntime.so.1.30.0') },
  ]);
});

test('the image of the load tests holds k6, recordings, the scenarios and what the task imports, and no npm package', () => {
  write('k6/k6', 'k6');
  write('k6/LICENSE');
  write('worker/models/one/eval/a.wav');
  write('loadtest/smoke.ts', "import http from 'k6/http';\nimport { load } from './lib/load.ts';");
  write('loadtest/k6.d.ts');
  write('loadtest/lib/load.ts');
  write('loadtest/lib/load.test.ts');
  write('tools/tasks/loadtest.ts', "import { run } from '../loadtest/run.ts';\nimport type { Not } from './not.ts';");
  write('tools/loadtest/run.ts', "import { join } from 'node:path';\nawait import('./only-outside.ts');");
  const k6 = { program: join(root, 'k6/k6'), licence: join(root, 'k6/LICENSE'), modules: { 'go.k6.io/k6': 'v1.0.0' } };
  const image = imageOf('svc-asr-loadtest');
  const contents = listContents(image, 'linux/amd64', { ...makeSources(), k6, cuda: [] });
  expect(contents.layers.map(({ name }) => name)).toEqual(['system', 'node', 'k6', 'recordings', 'program']);
  expect(contents.layers.slice(2).flatMap(({ files }) => files.map(({ path }) => path))).toEqual([
    'usr/local/bin/k6',
    'usr/share/doc/k6/LICENSE',
    'app/worker/models/one/eval/a.wav',
    'app/package.json',
    'app/loadtest/lib/load.ts',
    'app/loadtest/smoke.ts',
    'app/tools/loadtest/run.ts',
    'app/tools/tasks/loadtest.ts',
  ]);
  const { packages } = buildSbom('svc-asr-loadtest', '0.1.0', 'linux/amd64', contents);
  expect(packages.at(-1)).toMatchObject({
    licenseDeclared: 'AGPL-3.0-only',
    externalRefs: [{ referenceLocator: 'pkg:golang/go.k6.io/k6@v1.0.0' }],
  });
  write('tools/loadtest/run.ts', "import { WebSocket } from 'ws';");
  expect(() => listContents(image, 'linux/amd64', { ...makeSources(), k6 })).toThrow('run.ts imports ws');
});

test('the load tests of this repository need no npm package', () => {
  const paths = loadtestFiles(repository).map(({ path }) => path);
  expect(paths).toContain('app/tools/tasks/loadtest.ts');
  expect(paths).toContain('app/loadtest/steady.ts');
  expect(paths.filter((path) => /\.test\.ts$|\.d\.ts$/.test(path))).toEqual([]);
});

test('a program that was not built is not left out silently', () => {
  const sources = makeSources();
  rmSync(join(root, 'worker/dist/main.js'));
  expect(() => listContents(imageOf('svc-asr-worker'), 'linux/amd64', sources)).toThrow('"npm run build" makes it');
});

test('the bill of materials names every package with version, licence and checksum', () => {
  const contents = listContents(imageOf('svc-asr-worker'), 'linux/amd64', { ...makeSources(), cuda: [] });
  const sbom = buildSbom('svc-asr-worker', '0.1.0', 'linux/amd64', contents);
  const references = sbom.packages.map(({ externalRefs }) => externalRefs[0]?.referenceLocator);
  expect(references).toEqual([
    'pkg:oci/svc-asr-worker@0.1.0',
    expect.stringMatching(/^pkg:generic\/node@24\./),
    'pkg:deb/debian/libc6@2.36-9?arch=amd64',
    'pkg:deb/debian/ca-certificates@2025?arch=amd64',
    'pkg:npm/onnxruntime-node@1.30.0',
    'pkg:npm/%40svc-asr/worker@0.1.0',
  ]);
  expect(sbom.packages[4]).toMatchObject({ licenseDeclared: 'MIT', checksums: [{ checksumValue: '000000' }] });
  expect(new Set(sbom.packages.map(({ SPDXID }) => SPDXID)).size).toBe(sbom.packages.length);
  expect(sbom.relationships).toHaveLength(sbom.packages.length);
});

test('an image is the same whenever it is built, and its archive holds what its index names', async () => {
  const image = imageOf('svc-asr-worker');
  const { layers } = listContents(image, 'linux/amd64', makeSources());
  const parts = { title: 'one', reference: 'localhost/one:1', config: buildImageConfig(image, '1'), layers };
  const build = (name: string) => writeImage(parts, { out: join(root, name), platform: 'linux/amd64', cache: root });
  const [first, second] = [await build('first'), await build('second')];
  expect(second.digest).toBe(first.digest);
  expect(readFileSync(second.file).equals(readFileSync(first.file))).toBe(true);
  expect(describeImage(first)).toMatch(/^localhost\/one:1 linux\/amd64: 0\.0 MB packed/);

  const unpacked = join(root, 'unpacked');
  mkdirSync(unpacked);
  expect(spawnSync('tar', ['-xf', first.file, '-C', unpacked]).status).toBe(0);
  const read = (digest: string) => JSON.parse(readFileSync(join(unpacked, 'blobs', digest.replace(':', '/')), 'utf8'));
  const index = JSON.parse(readFileSync(join(unpacked, 'index.json'), 'utf8'));
  expect(index.manifests[0]).toMatchObject({
    digest: first.digest,
    annotations: { 'io.containerd.image.name': 'localhost/one:1' },
  });
  const manifest = read(index.manifests[0].digest);
  expect(manifest.layers).toHaveLength(layers.length);
  expect(read(manifest.config.digest)).toMatchObject({
    architecture: 'amd64',
    config: { User: '65532:65532', WorkingDir: '/app', Entrypoint: ['node', '/app/worker/dist/main.js'] },
    rootfs: { diff_ids: first.layers.map(({ diffId }) => diffId) },
  });
});
