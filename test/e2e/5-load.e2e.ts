import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHarness } from './harness.ts';
import type { Harness } from './harness.ts';

const TASK = join(import.meta.dirname, '../../tools/tasks/loadtest.ts');
const folder = mkdtempSync(join(tmpdir(), 'svc-asr-e2e-'));
let harness: Harness;

beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => rmSync(folder, { recursive: true }));

test('npm run loadtest -- smoke passes against the installation', async () => {
  const { url, token, ca: adminCa = '' } = await harness.adminAccess();
  const [ca, adminCaFile] = [join(folder, 'ca.crt'), join(folder, 'admin-ca.crt')];
  writeFileSync(ca, await harness.readCa());
  writeFileSync(adminCaFile, adminCa);
  const { PATH = '', HOME = '' } = process.env;
  const service = { BASE_URL: harness.baseUrl, CA_FILE: ca };
  const admin = { ADMIN_URL: url, ADMIN_TOKEN: token, ADMIN_CA_FILE: adminCaFile };
  // The load generator shares the machine with the cluster and therefore lags, so the limit of its lag is high.
  const limits = { LAG_P95_MS: '10000' };
  const child = spawn(process.execPath, [TASK, 'smoke', '--out', folder], {
    env: { PATH, HOME, ...service, ...admin, ...limits },
    // The output, which contains the latencies, goes to the test log.
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8'))).toMatchObject({ scenario: 'smoke' });
});
