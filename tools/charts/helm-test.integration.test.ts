import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { START_TIMEOUT_MS, startService, stopServices } from '../../test/support/service.ts';
import type { Service } from '../../test/support/service.ts';
import { root } from '../launch/terminal.mjs';
import { CHART_FOLDER } from './place.ts';

const WITHIN_MS = 120_000;

let service: Service;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-helm-test-'));
  writeFileSync(join(folder, 'token'), `${service.adminToken}\n`, { mode: 0o600 });
}, START_TIMEOUT_MS);
afterAll(async () => {
  await stopServices();
  rmSync(folder, { recursive: true, force: true });
}, START_TIMEOUT_MS);

/** Runs the program of the chart's test pod against a service on this machine. */
function runTest(env: Record<string, string>): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [join(CHART_FOLDER, 'files/helm-test.mjs')], {
    env: {
      PATH: process.env.PATH,
      APP_FOLDER: root,
      GATEWAY_URL: service.baseUrl,
      SERVER_NAME: 'localhost',
      READY_URL: `${service.local.gateway_admin_url}/readyz`,
      CA_FILE: service.local.ca_file,
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, output })));
}

const session = () => ({
  ADMIN_URL: service.adminUrl,
  ADMIN_TOKEN_FILE: join(folder, 'token'),
  TENANT: 'local',
  MODEL: 'svc-asr-kikuyu-v1',
});

test(
  'helm test without samples checks readiness and lists models',
  async () => {
    const { status, output } = await runTest({});
    expect([status, output]).toEqual([0, expect.stringContaining('ok: the gateway lists models')]);
  },
  WITHIN_MS,
);

test(
  'helm test with samples creates a key, streams a recording to its end and revokes the key',
  async () => {
    const { status, output } = await runTest(session());
    expect([status, output]).toEqual([0, expect.stringContaining('ok: a stream returns a final transcript')]);
    expect(output).not.toMatch(/svc_live_|svc\.auth/);
    const keys = await fetch(`${service.adminUrl}/admin/v1/keys`, {
      headers: { authorization: `Bearer ${service.adminToken}` },
    });
    expect(await keys.text()).not.toContain('helm test');
  },
  WITHIN_MS,
);

test.each([
  ['a missing model', { MODEL: 'no-such-model' }, 'no-such-model is not listed'],
  ['a missing tenant', { TENANT: 'nobody' }, 'tenant_not_found'],
  ['an unreachable gateway', { GATEWAY_URL: 'https://localhost:1' }, 'the gateway lists models'],
])(
  'helm test fails for %s and reports it',
  async (_case, env, message) => {
    const { status, output } = await runTest({ ...session(), ...env, PATIENCE_MS: '2000' });
    expect([status, output]).toEqual([1, expect.stringContaining(message)]);
  },
  WITHIN_MS,
);
