import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelFolder, recording } from '../support/recording.ts';
import { wordErrorRate } from '../support/word-errors.ts';
import { runAdmin, runCli } from './cli.ts';
import { NAMESPACE, openHarness, until } from './harness.ts';
import type { Harness } from './harness.ts';
import { acrossVersions, openAccess } from './live-streams.ts';
import { buildModel, buildTenant, buildValues, MODEL_NAMESPACE, RELEASE } from './release.ts';
import { MAX_WORD_ERRORS_PERCENT } from './streams.ts';
import { PREVIOUS, upgrade } from './versions.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-asr-e2e-'));
let harness: Harness;

beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => rmSync(folder, { recursive: true }));

test(`helm installs ${PREVIOUS.name} into a namespace that enforces restricted pods`, async () => {
  const values = join(folder, 'values.json');
  writeFileSync(values, JSON.stringify(buildValues(PREVIOUS)));
  for (const namespace of [NAMESPACE, MODEL_NAMESPACE]) {
    await harness.tools.kubectl(['create', 'namespace', namespace]);
    await harness.tools.kubectl(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted']);
  }
  const notes = await harness.tools.helm(
    ['install', RELEASE, PREVIOUS.chart, '-n', NAMESPACE, '-f', values, '--wait', '--timeout', '5m'],
    { timeoutMs: 330_000 },
  );
  expect(notes).toContain('svc-asr admin keys create');
}, 360_000);

test('the operator applies a model and a tenant that kubectl created', async () => {
  const resources = [buildModel('svc-asr-kikuyu-v1', 'Kikuyu', 'ki', { min: 1, max: 3 }), buildTenant('acme-radio')];
  const list = { apiVersion: 'v1', kind: 'List', items: resources };
  await harness.kubectl(['apply', '-f', '-'], { input: JSON.stringify(list) });
  await until(harness, 'tenant/acme-radio', '.status.conditions[?(@.type=="Ready")].status', 'True');
  await until(harness, 'asrmodel/svc-asr-kikuyu-v1', '.status.conditions[?(@.type=="Available")].status', 'True');
  await until(harness, 'asrmodel/svc-asr-kikuyu-v1', '.status.readyReplicas', '1');
  const table = await harness.kubectl(['get', 'asrmodels']);
  expect(table).toMatch(/NAME +READY +WORKERS/);
});

test('the svc-asr command creates a key and transcribes a recording with it', async () => {
  const output = await runAdmin(harness, ['keys', 'create', '--tenant', 'acme-radio', '--json']);
  const { key } = JSON.parse(output) as { key: string };
  const ca = join(folder, 'ca.crt');
  writeFileSync(ca, await harness.readCa());
  const name = 'ki_espeak_002';
  const file = join(modelFolder('svc-asr-kikuyu-v1'), 'eval', `${name}.wav`);
  const args = ['transcribe', file, '--base-url', harness.baseUrl, '--ca', ca, '--language', 'ki'];
  const transcript = await runCli(args, { SVC_ASR_API_KEY: key });
  expect(wordErrorRate([recording(name).text], [transcript])).toBeLessThan(MAX_WORD_ERRORS_PERCENT);
});

test(`helm upgrades ${PREVIOUS.name} to this commit without interrupting a stream`, async () => {
  const access = await openAccess(harness);
  await acrossVersions(harness, access, () => upgrade(harness));
}, 600_000);

test('helm test passes on the upgraded installation', async () => {
  const output = await harness.tools.helm(['test', RELEASE, '-n', NAMESPACE, '--timeout', '3m'], {
    timeoutMs: 200_000,
  });
  expect(output).toContain('Succeeded');
});
