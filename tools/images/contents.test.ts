import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { root as repository } from '../launch/terminal.mjs';
import { listLayer } from './contents.ts';
import type { Sources } from './contents.ts';
import { textOf } from './files.ts';
import { loadtestFiles } from './loadtest-files.ts';
import { listPackages } from './npm.ts';
import { writeImage } from './oci.ts';
import { buildSbom } from './sbom.ts';
import { dependencyFiles, isLoaded, isProgram, programFiles } from './service-files.ts';

let root: string;
beforeEach(() => {
  root = temporaryFolder('contents');
});

function write(path: string, text: string | Buffer = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text, { mode: path.includes('/bin/') ? 0o755 : 0o644 });
}

function createSources(): Sources {
  write('node/bin/node', 'node');
  write('node/LICENSE');
  write('libc6/lib/x86_64-linux-gnu/libc.so.6', 'libc');
  write('libc6/lib64/ld-linux-x86-64.so.2', 'ld');
  write('libc6/usr/lib/x86_64-linux-gnu/gconv/BIG5.so');
  write('libc6/usr/share/doc/libc6/copyright');
  write('ca/usr/share/ca-certificates/mozilla/a.crt', 'A');
  write('ca/usr/share/ca-certificates/mozilla/b.crt', 'B\n');
  write('worker/models/one/model.onnx');
  write('worker/models/one/eval/a.wav');
  write('worker/models/README.md');
  write('k6/bin/k6', 'k6');
  write('k6/LICENSE');
  return {
    root,
    platform: 'linux/amd64',
    debian: [
      { name: 'libc6', version: '2.36-9', folder: join(root, 'libc6') },
      { name: 'ca-certificates', version: '2025', folder: join(root, 'ca') },
    ],
    node: join(root, 'node'),
    k6: { program: join(root, 'k6/bin/k6'), license: join(root, 'k6/LICENSE'), modules: { 'go.k6.io/k6': 'v1.0.0' } },
  };
}

describe('listLayer', () => {
  test.each([
    [
      'system',
      [
        ...['lib', 'lib64', 'tmp', 'usr/lib64', 'etc/passwd', 'etc/group', 'etc/nsswitch.conf'],
        ...['etc/ssl/certs/ca-certificates.crt', 'etc/ssl/cert.pem', 'usr/lib/x86_64-linux-gnu/libc.so.6'],
        ...['usr/lib64/ld-linux-x86-64.so.2', 'usr/share/doc/libc6/copyright'],
      ],
    ],
    ['node', ['usr/local/bin/node', 'usr/share/doc/node/LICENSE']],
    ['models', ['models/one/model.onnx']],
    ['recordings', ['app/worker/models/one/eval/a.wav']],
    ['k6', ['usr/local/bin/k6', 'usr/share/doc/k6/LICENSE']],
  ])('lists exactly the files of the layer %s', (layer, paths) => {
    expect(listLayer(layer, createSources()).map(({ path }) => path)).toEqual(paths);
  });

  test('joins the CA certificates in one file', () => {
    const files = listLayer('system', createSources());
    expect(files).toContainEqual(textOf('etc/ssl/certs/ca-certificates.crt', 'A\nB\n'));
  });

  test('rejects an unknown layer', () => {
    expect(() => listLayer('new', createSources())).toThrow('names a layer new');
  });
});

describe('programFiles', () => {
  const worker = { name: '@svc-asr/worker', version: '0.1.0', path: 'worker', isWorkspace: true };

  test('lists the compiled sources of a workspace, but no tests and no files of earlier builds', () => {
    write('worker/package.json', '{}');
    write('worker/src/main.ts');
    write('worker/src/main.test.ts');
    write('worker/dist/main.js', 'run();');
    write('worker/dist/left-by-an-earlier-build.js');
    expect(programFiles(root, worker).map(({ path }) => path)).toEqual([
      'app/worker/package.json',
      'app/worker/dist/main.js',
      'app/node_modules/@svc-asr/worker',
    ]);
    rmSync(join(root, 'worker/dist/main.js'));
    expect(() => programFiles(root, worker)).toThrow('run "npm run build"');
  });
});

test.each([
  ['run.ts', true],
  ['engine/', true],
  ['engine/thread.ts', true],
  ['engine/lane.test.ts', false],
  ['testing/', false],
  ['workers/testing/', false],
])('isProgram of %s is %s', (path, expected) => {
  expect(isProgram(path)).toBe(expected);
});

describe('dependencyFiles', () => {
  test('lists the files of a package but not of packages nested in it, and no files for a workspace', () => {
    write('node_modules/ws/package.json', '{}');
    write('node_modules/ws/README.md');
    write('node_modules/ws/node_modules/nested/index.js');
    const ws = { name: 'ws', version: '1.0.0', path: 'node_modules/ws', isWorkspace: false };
    expect(dependencyFiles(root, ws, 'x64').map(({ path }) => path)).toEqual(['app/node_modules/ws/package.json']);
    expect(dependencyFiles(root, { ...ws, isWorkspace: true }, 'x64')).toEqual([]);
  });
});

test.each([
  ['ws', 'lib/receiver.js', true],
  ['ws', 'package.json', true],
  ['ws', 'LICENSE', true],
  ['ws', 'LICENSE.md', true],
  ['ws', 'README.md', false],
  ['yaml', 'dist/index.d.ts', false],
  ['yaml', 'dist/index.js.map', false],
  ['yaml', 'dist/doc/', true],
  ['redis', 'test/', false],
  ['redis', 'node_modules/', false],
  ['redis', '.eslintrc', false],
  ['koffi', 'src/koffi/index.js', true],
  ['koffi', 'src/koffi/src/static.js', true],
  ['koffi', 'src/koffi/src/ffi.cc', false],
  ['koffi', 'src/koffi/src/abi/', false],
  ['koffi', 'vendor/', false],
  ['@koromix/koffi-linux-x64', 'linux_x64/', true],
  ['@koromix/koffi-linux-x64', 'musl_x64/', false],
  ['onnxruntime-node', 'script/', false],
  ['onnxruntime-node', 'bin/', true],
  ['onnxruntime-node', 'bin/napi-v6/', true],
  ['onnxruntime-node', 'bin/napi-v6/linux/', true],
  ['onnxruntime-node', 'bin/napi-v6/win32/', false],
  ['onnxruntime-node', 'bin/napi-v6/darwin/', false],
  ['onnxruntime-node', 'bin/napi-v6/linux/x64/', true],
  ['onnxruntime-node', 'bin/napi-v6/linux/arm64/', false],
])('isLoaded of %s %s is %s in an image for x64', (name, path, expected) => {
  expect(isLoaded(name, path, 'x64')).toBe(expected);
});

test('koffi can be loaded from the files that an image of this platform contains', () => {
  const cpu = process.arch === 'arm64' ? 'arm64' : 'x64';
  for (const entry of listPackages(repository, ['worker'], cpu).filter(({ name }) => name.includes('koffi'))) {
    for (const { path, from } of dependencyFiles(repository, entry, cpu)) {
      if (from !== 'folder' && 'file' in from) write(path, readFileSync(from.file));
    }
  }
  const script = "import koffi from 'koffi'; console.log(koffi.sizeof('int'));";
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: join(root, 'app'),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout).toBe('4\n');
});

describe('loadtestFiles', () => {
  test('lists the task, the scenarios and their static imports, and rejects npm packages', () => {
    write('loadtest/smoke.ts', "import http from 'k6/http';\nimport { load } from './lib/load.ts';");
    write('loadtest/k6.d.ts');
    write('loadtest/dashboard.json', '{}');
    write('loadtest/lib/load.ts');
    write('loadtest/lib/load.test.ts');
    write(
      'tools/tasks/loadtest.ts',
      "import { run } from '../../loadtest/runner/run.ts';\nimport type { Not } from './not.ts';",
    );
    write('loadtest/runner/run.ts', "import { join } from 'node:path';\nawait import('./only-outside.ts');");
    expect(loadtestFiles(root).map(({ path }) => path)).toEqual([
      'app/package.json',
      'app/loadtest/dashboard.json',
      'app/loadtest/lib/load.ts',
      'app/loadtest/runner/run.ts',
      'app/loadtest/smoke.ts',
      'app/tools/tasks/loadtest.ts',
    ]);
    write('loadtest/runner/run.ts', "import { WebSocket } from 'ws';");
    expect(() => loadtestFiles(root)).toThrow('run.ts imports ws');
  });

  test('finds no import of an npm package in the load tests of this repository', () => {
    const paths = loadtestFiles(repository).map(({ path }) => path);
    expect(paths).toContain('app/tools/tasks/loadtest.ts');
    expect(paths).toContain('app/loadtest/steady.ts');
    expect(paths.filter((path) => /\.(test|d)\.ts$/.test(path))).toEqual([]);
  });
});

describe('buildSbom', () => {
  test('names Debian packages and Go modules, and npm packages with license and checksum', () => {
    const sources = { ...createSources(), root: repository };
    const { components, metadata } = buildSbom('one', '1', ['node', 'worker/program', 'k6'], sources);
    expect(metadata.component).toMatchObject({ type: 'container', purl: 'pkg:oci/one@1' });
    const purls = components.map(({ purl }) => purl);
    expect(purls).toContain('pkg:deb/debian/libc6@2.36-9?arch=amd64');
    expect(purls).toContain('pkg:golang/go.k6.io/k6@v1.0.0');
    expect(purls).toContainEqual(expect.stringMatching(/^pkg:npm\/%40svc-asr\/worker@/));
    expect(purls.filter((purl) => purl.includes('adm-zip'))).toEqual([]);
    const native = purls.filter((purl) => purl.includes('koffi')).map((purl) => purl.replace(/@[\d.]+$/, ''));
    expect(native.sort()).toEqual(['pkg:npm/%40koromix/koffi-linux-x64', 'pkg:npm/koffi']);
    expect(components.find(({ name }) => name === 'onnxruntime-node')).toMatchObject({
      licenses: [{ license: { id: 'MIT' } }],
      hashes: [{ alg: 'SHA-512' }],
    });
  });
});

test('writeImage writes identical archives for the same files, with all blobs that the index names', async () => {
  const config = { user: '1:1', workingDir: '/app', entrypoint: ['node'], env: ['A=1'], labels: { title: 'one' } };
  const layers = [{ name: 'only', files: [textOf('app/main.js', 'run();')] }];
  const image = { title: 'one', reference: 'localhost/one:1', config, layers };
  const build = (name: string) =>
    writeImage(image, { out: join(root, name), platform: 'linux/amd64', cache: join(root, name) });
  const [first, second] = [await build('first'), await build('second')];
  expect(second.digest).toBe(first.digest);
  expect(readFileSync(second.file).equals(readFileSync(first.file))).toBe(true);

  mkdirSync(join(root, 'unpacked'));
  expect(spawnSync('tar', ['-xf', first.file, '-C', join(root, 'unpacked')]).status).toBe(0);
  const read = (path: string) => JSON.parse(readFileSync(join(root, 'unpacked', path), 'utf8'));
  const readBlob = (digest: string) => read(`blobs/${digest.replace(':', '/')}`);
  const { manifests } = read('index.json');
  expect(manifests).toMatchObject([
    { digest: first.digest, annotations: { 'io.containerd.image.name': 'localhost/one:1' } },
  ]);
  const manifest = readBlob(first.digest);
  expect(manifest.layers).toHaveLength(1);
  expect(readBlob(manifest.config.digest)).toMatchObject({
    architecture: 'amd64',
    config: { User: '1:1', WorkingDir: '/app', Entrypoint: ['node'], Env: ['A=1'], Labels: { title: 'one' } },
  });
});
