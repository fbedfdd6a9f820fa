import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REDIS } from '../install/programs.ts';
import { ensureInstalled } from '../install/system-package.ts';
import { createFleet } from '../supervise/fleet.ts';
import { freePort } from './ports.ts';
import { waitUntil } from './ready.ts';
import { checkRedis, redisProgram, redisUrl } from './redis.ts';

test('redisProgram runs Redis with a password and an append-only file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-redis-'));
  const port = await freePort('127.0.0.1');
  const password = 'a-password';
  const spec = redisProgram({ serverPath: (await ensureInstalled(REDIS)).path, folder, port, password });
  expect(spec.args.join(' ')).not.toContain(password);
  expect(statSync(join(folder, 'redis.conf')).mode & 0o777).toBe(0o600);
  const signal = new AbortController().signal;
  const fleet = createFleet({ logFolder: folder, node: process.execPath, show: () => undefined });
  try {
    await fleet.run(spec, () => waitUntil('Redis', () => checkRedis(port, password), 10_000, signal));
    expect(statSync(join(folder, 'appendonlydir')).isDirectory()).toBe(true);
    await expect(checkRedis(port, 'wrong')).resolves.toBe('another Redis listens on this port');
    expect(redisUrl(port, password)).toBe(`redis://default:a-password@127.0.0.1:${port}`);
  } finally {
    await fleet.stop();
  }
  await expect(checkRedis(port, password)).resolves.toBe('Redis does not listen yet');
  rmSync(folder, { recursive: true });
});
