import type { AddressInfo } from 'node:net';
import { startAdmin } from './admin.ts';
import type { AdminOptions } from './admin.ts';
import { createMetrics } from './metrics.ts';

async function ask(options: Partial<AdminOptions>, ...paths: string[]): Promise<[number, string][]> {
  const metrics = createMetrics('test');
  const server = await startAdmin({ host: '127.0.0.1', port: 0, metrics, ready: () => undefined, ...options });
  const { port } = server.address() as AddressInfo;
  const answers: [number, string][] = [];
  for (const path of paths) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    answers.push([response.status, (await response.text()).trim()]);
  }
  server.closeAllConnections();
  server.close();
  await metrics.stop();
  return answers;
}

test('the admin port reports every service without a liveness check as live, and as ready only if its readiness check passes', async () => {
  expect(await ask({ ready: () => 'no Redis' }, '/livez', '/readyz')).toEqual([
    [200, 'ok'],
    [503, 'no Redis'],
  ]);
  expect(await ask({}, '/readyz?verbose', '/metrics', '/other')).toMatchObject([
    [200, 'ok'],
    [200, expect.any(String)],
    [404, expect.any(String)],
  ]);
});

test('the admin port uses the liveness check of a service if it has one', async () => {
  expect(await ask({ live: () => 'inference makes no progress' }, '/livez', '/readyz')).toEqual([
    [503, 'inference makes no progress'],
    [200, 'ok'],
  ]);
});
