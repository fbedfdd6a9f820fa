import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStage } from './stage.ts';
import type { Stage } from './stage.ts';

const TASK = join(import.meta.dirname, '../../tools/tasks/loadtest.ts');
const folder = mkdtempSync(join(tmpdir(), 'svc-asr-e2e-'));
let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => {
  stage.close();
  rmSync(folder, { recursive: true });
});

test('the smoke load test passes against the cluster: every stream gets its finals, the books balance', async () => {
  const { url, token } = await stage.adminAccess();
  const ca = join(folder, 'ca.crt');
  writeFileSync(ca, await stage.authority());
  const { PATH = '', HOME = '' } = process.env;
  const target = { BASE_URL: stage.baseUrl, ADMIN_URL: url, ADMIN_TOKEN: token, CA_FILE: ca };
  // Its sender shares a machine with the whole cluster: what counts here is that all is right, not how fast it is.
  const patience = { LAG_P95_MS: '10000' };
  const child = spawn(process.execPath, [TASK, 'smoke', '--out', folder], {
    env: { PATH, HOME, ...target, ...patience },
    // Its latencies belong into the log of whoever runs this.
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8'))).toMatchObject({ scenario: 'smoke' });
});
