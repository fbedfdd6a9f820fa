import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

test('jest exits with 1 after a test file whose gateway failed to start, although Redis was left running', async () => {
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const args = ['--no-warnings', jest, '--runInBand', '--testMatch'];
  const child = spawn(process.execPath, [...args, '**/test/support/fixtures/failing-gateway.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 90_000,
  });
  let output = '';
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  const ended = await new Promise((settle) => child.once('close', (code, signal) => settle(code ?? signal)));
  expect(output).toContain('the gateway did not become ready');
  expect(ended).toBe(1);
});
