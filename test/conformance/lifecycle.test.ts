import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { Agent } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { send } from '../support/answer.ts';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { launch } from '../support/launch.ts';
import type { Local } from '../support/launch.ts';
import { balanceOf, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';
/** Settings with which sessions outlive a restart of the service even on a slow machine. */
const LONG_LIVED = { SESSION_TTL_MS: '600000' };

let service: Service;
beforeAll(async () => {
  service = await startService({ env: LONG_LIVED });
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

const adminUrls = ({ gateway_admin_url, operator_admin_url, console_admin_url }: Local) => ({
  gateway: gateway_admin_url,
  operator: operator_admin_url,
  console: console_admin_url,
});

/** Returns the processes whose command line or environment names the home of the service. */
function processesOf(home: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      const about = readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'utf8');
      return about.includes(home);
    } catch {
      return false;
    }
  });
}

async function isFree(url: string): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(Number(new URL(url).port), '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Creates a session of one second. Undefined if the connection is refused or closed without an answer. */
async function createOver(agent: Agent, key: string): Promise<Answer | undefined> {
  const headers = { 'content-type': 'application/json' };
  const body = { model: KIKUYU, max_audio_seconds: 1 };
  try {
    return await service.request('POST', '/v1/asr/sessions', { key, headers, body, options: { agent } });
  } catch (error) {
    if (['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

test('the admin ports of gateway, operator and console serve health and metrics', async () => {
  for (const [name, url] of Object.entries(adminUrls(service.local))) {
    for (const path of ['/livez', '/readyz']) {
      expect([name, path, (await send(url + path)).status]).toEqual([name, path, 200]);
    }
    const metrics = await send(`${url}/metrics`);
    expect(metrics.status).toBe(200);
    expect(metrics.headers['content-type']).toMatch(/^text\/plain/);
    expect(metrics.text).toMatch(/^# TYPE \S+ (counter|gauge|histogram)$/m);
  }
});

test('gateway metrics label requests by route, never by the raw path', async () => {
  await service.request('GET', `/v1/typed-${'x'.repeat(40)}`);
  await service.request('GET', '/v1/models');
  const { text } = await send(`${service.local.gateway_admin_url}/metrics`);
  expect(text).toContain('/v1/models');
  expect(text).not.toContain('typed-x');
});

test('the admin API requires the admin token, and neither the public port nor the metrics port serves the admin API', async () => {
  expect((await service.request('GET', '/admin/v1/tenants')).status).toBe(404);
  const url = `${service.adminUrl}/admin/v1/tenants`;
  expect((await send(url)).status).toBe(401);
  expect((await send(url, { headers: { authorization: `Bearer ${service.apiKey}` } })).status).toBe(401);
  const headers = { authorization: `Bearer ${service.adminToken}` };
  expect((await send(url, { headers })).status).toBe(200);
  expect((await send(`${service.local.console_admin_url}/admin/v1/tenants`, { headers })).status).toBe(404);
  expect((await send(`${service.adminUrl}/metrics`, { headers })).status).toBe(404);
});

test('files with secrets are readable by their owner only', () => {
  const modeOf = (path: string) => statSync(join(service.home, path)).mode & 0o777;
  expect(modeOf('local.json')).toBe(0o600);
  expect(modeOf('secrets')).toBe(0o700);
  for (const file of readdirSync(join(service.home, 'secrets'))) expect(modeOf(`secrets/${file}`)).toBe(0o600);
});

test('no key, credential or token appears in process lists or logs', async () => {
  const { key } = await service.tenant();
  const session = sessionOf(await service.create(key));
  const secrets = [key, session.websocket_protocols[1], service.adminToken, service.apiKey];
  const commandLines = processesOf(service.home).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  expect(commandLines.length).toBeGreaterThan(3);
  for (const secret of secrets) {
    expect(commandLines.join('\n')).not.toContain(secret);
    expect(service.logs()).not.toContain(secret);
  }
});

test('a second npm start with the same SVC_ASR_HOME is refused with a clear message while the first one runs', async () => {
  const second = launch(service.home, {});
  await expect(second.ended).resolves.toBe(1);
  expect(second.output()).toContain(service.home);
  expect(second.output()).toContain('already runs');
  expect(second.output()).toContain('SVC_ASR_HOME');
  expect((await service.request('GET', '/v1/models')).status).toBe(200);
});

test('npm start with an invalid setting prints the name of the setting and leaves no process behind', async () => {
  const home = join(service.home, 'another');
  const wrong = launch(home, { SESSION_TTL_MS: 'soon' });
  await expect(wrong.ended).resolves.toBe(1);
  expect(wrong.output()).toContain('SESSION_TTL_MS');
  await eventually('no process of the service runs', 30_000, () => processesOf(home).length === 0);
});

test(
  'SIGTERM ends every process, and the next start has the same keys, balances and sessions',
  async () => {
    const tenant = await service.tenant({ seconds: 1000 });
    const headers = { 'idempotency-key': randomUUID() };
    const session = sessionOf(await service.create(tenant.key, { model: KIKUYU }, headers));
    const balance = balanceOf(await service.usage(tenant.key));
    const { home, local } = service;

    await service.stop({ keepHome: true });
    await eventually('no process is left', 30_000, () => processesOf(home).length === 0);
    for (const url of [local.base_url, local.redis_url, ...Object.values(adminUrls(local))]) {
      await expect(isFree(url)).resolves.toBe(true);
    }
    expect(existsSync(join(home, 'lock'))).toBe(false);

    service = await startService({ home, env: LONG_LIVED });
    expect(service.apiKey).toBe(local.api_key);
    expect(service.adminToken).toBe(local.admin_token);
    expect(balanceOf(await service.usage(tenant.key))).toStrictEqual(balance);
    const replay = sessionOf(await service.create(tenant.key, { model: KIKUYU }, headers));
    // The restarted service has another port in its URLs, because this test lets it choose any free port.
    expect({ ...replay, websocket_url: '' }).toStrictEqual({ ...session, websocket_url: '' });
  },
  START_TIMEOUT_MS,
);

test(
  'each request in flight at SIGTERM is either answered completely or refused',
  async () => {
    const { key } = await service.tenant({ seconds: 100_000 });
    // A separate agent, because `service.stop` closes the connections that methods such as `service.create` use.
    const agent = new Agent({ keepAlive: true });
    const created: string[] = [];
    const caller = async () => {
      for (;;) {
        const answer = await createOver(agent, key);
        // Refused, because the gateway is shutting down.
        if (answer === undefined || answer.status === 503) return;
        created.push(sessionOf(answer).id);
      }
    };
    const callers = Array.from({ length: 8 }, caller);
    await eventually('requests are in flight', 30_000, () => created.length > 50);
    const { home } = service;
    await Promise.all([service.stop({ keepHome: true }), ...callers]);
    agent.destroy();

    service = await startService({ home, env: LONG_LIVED });
    const { reserved_ms } = balanceOf(await service.usage(key));
    expect(reserved_ms).toBe(created.length * 1000);
  },
  START_TIMEOUT_MS,
);
