import { setTimeout as sleep } from 'node:timers/promises';
import { KIKUYU, openAccess, underLiveStreams } from './live.ts';
import { RELEASE } from './release.ts';
import type { Access } from './speak.ts';
import { CHART, NAMESPACE, openStage, SOON_MS, until } from './stage.ts';
import type { Stage } from './stage.ts';

let stage: Stage;
let access: Access;

beforeAll(async () => {
  stage = await openStage();
  access = await openAccess(stage);
});
afterAll(() => stage.close());

/** Everything but Redis gets new pods. */
const MARKED = ['gateway', 'operator', 'console'].map((part) => `--set=${part}.podAnnotations.e2e=upgraded`);
const annotation = String.raw`.spec.template.metadata.annotations.e2e`;

test('helm upgrades the service', async () => {
  await underLiveStreams(stage, access, async () => {
    const args = ['upgrade', RELEASE, CHART, '-n', NAMESPACE, '--reuse-values', ...MARKED, '--wait', '--timeout', '4m'];
    await stage.cluster.helm(args, { timeoutMs: 260_000 });
    expect(await stage.read('deployment/svc-asr-gateway', annotation)).toBe('upgraded');
  });
}, 400_000);

test('helm rolls it back', async () => {
  await underLiveStreams(stage, access, async () => {
    await stage.cluster.helm(['rollback', RELEASE, '-n', NAMESPACE, '--wait', '--timeout', '4m'], {
      timeoutMs: 260_000,
    });
    expect(await stage.read('deployment/svc-asr-gateway', annotation)).toBe('');
  });
}, 400_000);

test('a node is drained: its gateways wait for their streams, everything else goes to the other node', async () => {
  const [, second = ''] = stage.cluster.nodes;
  let drained: Promise<string> | undefined;
  await underLiveStreams(stage, access, async () => {
    drained = stage.cluster.kubectl([
      ...['drain', second, '--ignore-daemonsets', '--delete-emptydir-data', `--timeout=${SOON_MS / 1000}s`],
    ]);
    // Long enough for evictions to happen while people speak; its end may have to wait for them.
    await Promise.race([drained, sleep(30_000)]);
  });
  await drained;
  const left = await stage.kubectl([
    ...['get', 'pods', `--field-selector=spec.nodeName=${second},status.phase=Running`, '-o', 'name'],
  ]);
  expect(left).toBe('');
  await stage.cluster.kubectl(['uncordon', second]);
  await until(stage, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
}, 400_000);
