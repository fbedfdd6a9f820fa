import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { isDownloadable, isNewEnough } from './node.mjs';
import { root } from './terminal.mjs';

test.each([
  ['18.20.0', false],
  ['20.20.2', false],
  ['22.18.0', false],
  ['22.19.0', true],
  ['23.0.0', true],
  ['24.21.0', true],
])('isNewEnough for Node %s is %s', (version, enough) => {
  expect(isNewEnough(version)).toBe(enough);
});

test('isDownloadable is true for Linux on x64 and arm64, and false for Windows', () => {
  expect(isDownloadable('linux', 'x64')).toBe(true);
  expect(isDownloadable('linux', 'arm64')).toBe(true);
  expect(isDownloadable('win32', 'x64')).toBe(false);
});

test('ensureBuild prints a line before the build starts', () => {
  const code = `import { ensureBuild } from ${JSON.stringify(join(root, 'tools/launch/build.mjs'))}; ensureBuild('false');`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(stderr).toMatch(/^» building.*\n✗ the build failed/);
});

test('the launcher rejects an unknown task and lists the existing ones', () => {
  const result = spawnSync(process.execPath, [join(root, 'tools/run.mjs'), 'no-such-task'], { encoding: 'utf8' });
  expect(result.status).toBe(1);
  expect(result.stderr).toMatch(/usage: .* one of .*bench.*start.*test/);
});

test('every npm script runs an existing task through the launcher', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const [name, command] of Object.entries(scripts)) {
    const task = /^(?:exec )?node tools\/run\.mjs ([a-z0-9-]+)$/.exec(command)?.[1];
    expect({ name, there: existsSync(join(root, `tools/tasks/${task ?? ''}.ts`)) }).toEqual({ name, there: true });
  }
});

test('runTask writes its whole output before it exits, even if the reader is slow', () => {
  const code = `import { runTask } from ${JSON.stringify(join(root, 'tools/launch/terminal.mjs'))};
    await runTask(() => { process.stdout.write('a'.repeat(1_000_000)); return 3; });`;
  const shell = '"$0" --input-type=module -e "$1" | { sleep 0.3; wc -c; }; echo "${PIPESTATUS[0]}"';
  const { stdout } = spawnSync('bash', ['-c', shell, process.execPath, code], { encoding: 'utf8' });
  expect(stdout.split(/\s+/)).toEqual(['1000000', '3', '']);
});

test('runTask exits with the status of its task although the reader of its output has closed the pipe', () => {
  const code = `import { runTask } from ${JSON.stringify(join(root, 'tools/launch/terminal.mjs'))};
    await runTask(() => { process.stdout.write('a'.repeat(1_000_000)); return 3; });`;
  const shell = '"$0" --input-type=module -e "$1" | head -c 1; echo " ${PIPESTATUS[0]}"';
  const { stdout, stderr } = spawnSync('bash', ['-c', shell, process.execPath, code], { encoding: 'utf8' });
  expect([stdout, stderr]).toEqual(['a 3\n', '']);
});

describe('runNode', () => {
  /** Runs a script with `runNode`, in a separate process. */
  function launch(script: string) {
    const folder = temporaryFolder('task');
    const file = join(folder, 'task.mjs');
    writeFileSync(file, script);
    const code = `import { runNode } from ${JSON.stringify(join(root, 'tools/launch/child.mjs'))};
      await runNode(process.execPath, [${JSON.stringify(file)}]);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    const printed = async (text: string) => {
      while (!output.includes(text)) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const status = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
    return { child, printed, status, output: () => output };
  }

  test('exits with the status of the task', async () => {
    await expect(launch('process.exit(7)').status).resolves.toBe(7);
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('forwards %s to the task', async (signal) => {
    const task = launch(
      `process.on('${signal}', () => { console.log('got it'); process.exit(3); });
       setInterval(() => 0, 1000); console.log('up');`,
    );
    await task.printed('up');
    task.child.kill(signal);
    await expect(task.status).resolves.toBe(3);
    expect(task.output()).toContain('got it');
  });

  test('lets the task receive the event "disconnect" when the launcher is killed', async () => {
    const task = launch(
      `process.on('disconnect', () => { console.log('alone'); process.exit(0); }); console.log('up');`,
    );
    await task.printed('up');
    task.child.kill('SIGKILL');
    await task.printed('alone');
  });
});
