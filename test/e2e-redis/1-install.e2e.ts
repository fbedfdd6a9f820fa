import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSetting } from '../e2e/environment.ts';
import { CHART, NAMESPACE, openHarness, until } from '../e2e/harness.ts';
import { KIKUYU, openAccess, TENANT, underLiveStreams } from '../e2e/live-streams.ts';
import { buildModel, buildTenant, buildValues, RELEASE } from '../e2e/release.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-asr-e2e-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('helm installs the service with one Redis, and a tenant uses it', async () => {
  const harness = await openHarness();
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(buildValues({ chart: CHART, tag: readSetting('E2E_TAG') })));
  await harness.tools.kubectl(['create', 'namespace', NAMESPACE]);
  await harness.tools.helm(['install', RELEASE, CHART, '-n', NAMESPACE, '-f', file, '--wait', '--timeout', '5m'], {
    timeoutMs: 330_000,
  });
  const model = buildModel(KIKUYU, 'Kikuyu', 'ki', { min: 2, max: 2 });
  const list = { apiVersion: 'v1', kind: 'List', items: [model, buildTenant(TENANT)] };
  await harness.kubectl(['apply', '-f', '-'], { input: JSON.stringify(list) });
  await until(harness, `tenant/${TENANT}`, '.status.conditions[?(@.type=="Ready")].status', 'True');
  await until(harness, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
  await underLiveStreams(harness, await openAccess(harness), () => Promise.resolve());
}, 480_000);
