import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelFolder, recording } from '../support/recording.ts';
import { wordErrorRate } from '../support/word-errors.ts';
import { runAdmin, runClient } from './client.ts';
import { acrossVersions, openAccess } from './live.ts';
import { buildModel, buildTenant, buildValues, RELEASE } from './release.ts';
import { NAMESPACE, openStage, until } from './stage.ts';
import type { Stage } from './stage.ts';
import { PREVIOUS, upgrade } from './versions.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-asr-e2e-'));
let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => {
  stage.close();
  rmSync(folder, { recursive: true });
});

test(`helm installs the service of ${PREVIOUS.name}`, async () => {
  const values = join(folder, 'values.json');
  writeFileSync(values, JSON.stringify(buildValues(Number(process.env.E2E_PORT), PREVIOUS.tag)));
  await stage.cluster.kubectl(['create', 'namespace', NAMESPACE]);
  await stage.cluster.kubectl(['label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted']);
  const notes = await stage.cluster.helm(
    ['install', RELEASE, PREVIOUS.chart, '-n', NAMESPACE, '-f', values, '--wait', '--timeout', '5m'],
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
  const made = await runAdmin(stage, ['keys', 'create', '--tenant', 'acme-radio', '--json']);
  const { key } = JSON.parse(made) as { key: string };
  const ca = join(folder, 'ca.crt');
  writeFileSync(ca, await stage.authority());
  const name = 'ki_espeak_002';
  const file = join(modelFolder('svc-asr-kikuyu-v1'), 'eval', `${name}.wav`);
  const args = ['transcribe', file, '--base-url', stage.baseUrl, '--ca', ca, '--language', 'ki'];
  const heard = await runClient(args, { SVC_ASR_API_KEY: key });
  expect(wordErrorRate([recording(name).text], [heard])).toBeLessThan(60);
});

test(`helm upgrades ${PREVIOUS.name} to this one: gateways, operator, console and workers`, async () => {
  const access = await openAccess(stage);
  await acrossVersions(stage, access, () => upgrade(stage));
}, 600_000);

test('helm test passes', async () => {
  const told = await stage.cluster.helm(['test', RELEASE, '-n', NAMESPACE, '--timeout', '3m'], { timeoutMs: 200_000 });
  expect(told).toContain('Succeeded');
});
