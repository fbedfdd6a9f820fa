import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { modelFolder, recording } from '../support/recording.ts';
import { wordErrorRate } from '../support/word-errors.ts';
import { buildModel, buildTenant, buildValues, RELEASE } from './release.ts';
import { CHART, NAMESPACE, openStage, until } from './stage.ts';
import type { Stage } from './stage.ts';

const COMMAND = join(import.meta.dirname, '../../packages/client/bin/svc-asr.js');
const folder = mkdtempSync(join(tmpdir(), 'svc-asr-e2e-'));
let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => {
  stage.close();
  rmSync(folder, { recursive: true });
});

test('helm installs the service', async () => {
  const values = join(folder, 'values.json');
  writeFileSync(values, JSON.stringify(buildValues(Number(process.env.E2E_PORT), process.env.E2E_TAG ?? '')));
  await stage.cluster.kubectl(['create', 'namespace', NAMESPACE]);
  await stage.cluster.kubectl(['label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted']);
  const notes = await stage.cluster.helm(
    ['install', RELEASE, CHART, '-n', NAMESPACE, '-f', values, '--wait', '--timeout', '5m'],
    { timeoutMs: 330_000 },
  );
  expect(notes).toContain(`svc-asr admin keys create`);
}, 360_000);

test('kubectl apply brings models and a tenant into force', async () => {
  const resources = [
    buildModel('svc-asr-kikuyu-v1', 'Kikuyu', 'ki', { min: 1, max: 3 }),
    buildModel('svc-asr-dholuo-v1', 'Dholuo', 'luo', { min: 0, max: 2, idleToZeroSeconds: 15 }),
    buildTenant('acme-radio'),
  ];
  const list = { apiVersion: 'v1', kind: 'List', items: resources };
  await stage.kubectl(['apply', '-f', '-'], JSON.stringify(list));
  await until(stage, 'tenant/acme-radio', '.status.conditions[?(@.type=="Ready")].status', 'True');
  await until(stage, 'asrmodel/svc-asr-kikuyu-v1', '.status.conditions[?(@.type=="Available")].status', 'True');
  await until(stage, 'asrmodel/svc-asr-kikuyu-v1', '.status.readyReplicas', '1');
  const shown = await stage.kubectl(['get', 'asrmodels']);
  expect(shown).toMatch(/NAME +READY +WORKERS/);
});

test('a key and a transcript, with the commands that the chart names', async () => {
  const run = promisify(execFile);
  const { url, token } = await stage.adminAccess();
  const { PATH = '', HOME = '' } = process.env;
  const admin = { PATH, HOME, SVC_ASR_ADMIN_URL: url, SVC_ASR_ADMIN_TOKEN: token };
  const made = await run(process.execPath, [COMMAND, 'admin', 'keys', 'create', '--tenant', 'acme-radio', '--json'], {
    env: admin,
  });
  const { key } = JSON.parse(made.stdout) as { key: string };
  const ca = join(folder, 'ca.crt');
  writeFileSync(ca, await stage.authority());
  const name = 'ki_espeak_002';
  const file = join(modelFolder('svc-asr-kikuyu-v1'), 'eval', `${name}.wav`);
  const args = ['transcribe', file, '--base-url', stage.baseUrl, '--ca', ca, '--language', 'ki'];
  const { stdout } = await run(process.execPath, [COMMAND, ...args], { env: { PATH, HOME, SVC_ASR_API_KEY: key } });
  expect(wordErrorRate([recording(name).text], [stdout])).toBeLessThan(60);
});

test('helm test passes', async () => {
  const told = await stage.cluster.helm(['test', RELEASE, '-n', NAMESPACE, '--timeout', '3m'], { timeoutMs: 200_000 });
  expect(told).toContain('Succeeded');
});
