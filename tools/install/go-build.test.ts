import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../test/support/eventually.ts';
import { buildArguments, buildPrograms, findGo } from './go-build.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-go-'));
  mkdirSync(join(folder, 'target'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a fake Go command that runs a script. `$out` is the folder for the programs. */
function fakeGo(script: string) {
  const path = join(folder, 'go');
  const output = 'while [ "$1" != -o ]; do shift; done; out=$2';
  writeFileSync(path, `#!/bin/sh\nset -e\n${output}\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

function build() {
  return {
    folder,
    packages: { one: 'example.com/cmd/one' },
    ldflags: ['-X a.b=c'],
    target: join(folder, 'target'),
    env: { FROM_US: 'yes' },
  };
}

test('buildPrograms puts only the requested programs into the target folder', async () => {
  await buildPrograms(fakeGo('echo "$FROM_US" > "$out/one"; echo more > "$out/other"'), build());
  expect(readdirSync(join(folder, 'target'))).toEqual(['one']);
  expect(readFileSync(join(folder, 'target', 'one'), 'utf8')).toBe('yes\n');
});

test('buildPrograms leaves nothing in the target folder when the build fails, and its error describes what to do', async () => {
  const go = fakeGo('echo half > "$out/one"; exit 3');
  await expect(buildPrograms(go, build())).rejects.toThrow(/one could not be built \(go ended with 3\).*try again/);
  expect(readdirSync(join(folder, 'target'))).toEqual([]);
});

test('buildPrograms rejects when Go cannot be run', async () => {
  await expect(buildPrograms(join(folder, 'none'), build())).rejects.toThrow('ENOENT');
});

test('buildPrograms leaves no incomplete program when its process is killed', async () => {
  const go = fakeGo(`echo half > "$out/one"; echo $$ > ${join(folder, 'pid')}; exec sleep 300`);
  const source = JSON.stringify(join(import.meta.dirname, 'go-build.ts'));
  const script = `import { buildPrograms } from ${source};
    await buildPrograms(${JSON.stringify(go)}, ${JSON.stringify(build())});`;
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const target = join(folder, 'target');
  await eventually('the build has started', 60_000, () => existsSync(join(folder, 'pid')));
  child.kill('SIGKILL');
  await ended;
  process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')));
  expect(existsSync(join(target, 'one'))).toBe(false);
});

test('buildArguments makes Go use only the versions that go.mod and go.sum pin', () => {
  expect(buildArguments(build(), '/into')).toEqual([
    'build',
    '-mod=readonly',
    '-trimpath',
    '-buildvcs=false',
    '-v',
    '-ldflags=-s -w -X a.b=c',
    '-o',
    '/into/',
    'example.com/cmd/one',
  ]);
});

describe('findGo', () => {
  test.each([
    ['1.21.0', undefined],
    ['1.27.1', undefined],
    ['1.19.8', 'Go 1.19.8 is too old'],
  ])(
    'accepts Go 1.21 or newer, which can download the version that a module needs, and rejects older versions: %s',
    (version, problem) => {
      const go = join(folder, 'go');
      writeFileSync(go, `#!/bin/sh\necho go version go${version} linux/amd64\n`);
      chmodSync(go, 0o755);
      if (problem === undefined) expect(findGo('kubectl must be built', folder)).toBe(go);
      else expect(() => findGo('kubectl must be built', folder)).toThrow(problem);
    },
  );

  test('throws an error with instructions if there is no Go', () => {
    expect(() => findGo('kubectl must be built', folder)).toThrow(
      'kubectl must be built, but Go is missing. Install Go 1.21 or newer',
    );
  });
});
