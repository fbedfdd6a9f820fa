import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSetting } from '../e2e/environment.ts';
import { CHART, NAMESPACE, openHarness, until } from '../e2e/harness.ts';
import { KIKUYU, TENANT } from '../e2e/live-streams.ts';
import { buildModel, buildTenant, buildValues, RELEASE } from '../e2e/release.ts';

/**
 * Long timeouts of gateways, so that a slow machine does not make a stream leave a worker that is alive. In a full
 * pool, such a stream would find no other slot.
 */
const PATIENCE = [
  { name: 'WORKER_OPEN_TIMEOUT_MS', value: '30000' },
  { name: 'WORKER_SILENCE_TIMEOUT_MS', value: '30000' },
  { name: 'WORKER_ANSWER_TIMEOUT_MS', value: '60000' },
];
const folder = mkdtempSync(join(tmpdir(), 'svc-asr-e2e-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('helm installs the service and a model on the node of the access pod', async () => {
  const harness = await openHarness();
  const nodeSelector = { 'kubernetes.io/hostname': readSetting('E2E_ACCESS_NODE') };
  const { redis, gateway, operator, console, ...values } = buildValues({ chart: CHART, tag: readSetting('E2E_TAG') });
  const pinned = {
    ...values,
    redis: { ...redis, nodeSelector },
    gateway: { ...gateway, nodeSelector, extraEnv: [...gateway.extraEnv, ...PATIENCE] },
    operator: { ...operator, nodeSelector, nodeNotices: { keys: ['e2e.asr.svc.dev/reclaim'] } },
    console: { ...console, nodeSelector },
  };
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(pinned));
  await harness.tools.kubectl(['create', 'namespace', NAMESPACE]);
  await harness.tools.helm(['install', RELEASE, CHART, '-n', NAMESPACE, '-f', file, '--wait', '--timeout', '5m'], {
    timeoutMs: 330_000,
  });
  const model = buildModel(KIKUYU, 'Kikuyu', 'ki', { min: 1, max: 1 });
  const control = { ...model, spec: { ...model.spec, worker: { ...model.spec.worker, nodeSelector } } };
  const list = { apiVersion: 'v1', kind: 'List', items: [control, buildTenant(TENANT)] };
  await harness.kubectl(['apply', '-f', '-'], { input: JSON.stringify(list) });
  await until(harness, `tenant/${TENANT}`, '.status.conditions[?(@.type=="Ready")].status', 'True');
  await until(harness, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '1');
}, 360_000);
