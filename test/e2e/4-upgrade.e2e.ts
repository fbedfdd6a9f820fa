import { setTimeout as sleep } from 'node:timers/promises';
import { acrossVersions, KIKUYU, openAccess, underLiveStreams } from './live.ts';
import type { Access } from './speak.ts';
import { openStage, SOON_MS, until } from './stage.ts';
import type { Stage } from './stage.ts';
import { PREVIOUS, rollBack, upgrade } from './versions.ts';

let stage: Stage;
let access: Access;

beforeAll(async () => {
  stage = await openStage();
  access = await openAccess(stage);
});
afterAll(() => stage.close());

test(`helm rolls it back to ${PREVIOUS.name}`, async () => {
  await acrossVersions(stage, access, () => rollBack(stage));
}, 600_000);

test('helm upgrades it once more', async () => {
  await acrossVersions(stage, access, () => upgrade(stage));
}, 600_000);

test('a node is drained: its gateways wait for their streams, everything else goes to the other node', async () => {
  const [, second = ''] = stage.cluster.nodes;
  let drained: Promise<string> | undefined;
  await underLiveStreams(stage, access, async () => {
    drained = stage.cluster.kubectl([
      ...['drain', second, '--ignore-daemonsets', '--delete-emptydir-data', `--timeout=${SOON_MS / 1000}s`],
    ]);
    // Long enough for evictions to happen while people speak; its end may have to wait for them.
    await Promise.race([drained, sleep(30_000)]);
    // There is one console, which the books are read from: it has to be up again.
    await stage.kubectl(['rollout', 'status', 'deployment/svc-asr-console', '--timeout=180s']);
  });
  await drained;
  const left = await stage.kubectl([
    ...['get', 'pods', `--field-selector=spec.nodeName=${second},status.phase=Running`, '-o', 'name'],
  ]);
  expect(left).toBe('');
  await stage.cluster.kubectl(['uncordon', second]);
  await until(stage, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
}, 400_000);
