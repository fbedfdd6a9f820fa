import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../test/support/eventually.ts';
import { openForward } from './forward.ts';

test('a loopback port leads to an address that only another process reaches', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-forward-'));
  const socket = join(folder, 'dial.sock');
  const dialer = spawn(process.execPath, ['--no-warnings', join(import.meta.dirname, 'dial-process.ts'), socket]);
  const server = createServer((request, response) => request.pipe(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await eventually('the dialer listens', 60_000, () => existsSync(socket));
    const forward = await openForward(socket, '127.0.0.1', (server.address() as AddressInfo).port);
    const body = 'x'.repeat(1_000_000);
    const answer = await fetch(`http://127.0.0.1:${forward.port}/`, { method: 'POST', body });
    expect(await answer.text()).toBe(body);
    forward.close();
    await expect(fetch(`http://127.0.0.1:${forward.port}/`)).rejects.toThrow();
  } finally {
    dialer.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
}, 90_000);
