import { eventually } from '../support/eventually.ts';
import { readSetting } from './environment.ts';
import { openHarness, SOON_MS, until } from './harness.ts';
import type { Harness } from './harness.ts';
import { KIKUYU, openAccess, underLiveStreams } from './live-streams.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});

interface Pods {
  items: { metadata: { labels: Record<string, string>; deletionTimestamp?: string } }[];
}

test('draining a node lets its gateways finish their streams and moves all other pods to another node', async () => {
  const access = await openAccess(harness);
  const node = readSetting('E2E_DRAIN_NODE');
  const selector = `--field-selector=spec.nodeName=${node},status.phase=Running`;
  let drained: Promise<string> | undefined;
  await underLiveStreams(harness, access, async () => {
    const args = ['drain', node, '--ignore-daemonsets', '--delete-emptydir-data'];
    drained = harness.tools.kubectl([...args, `--timeout=${SOON_MS / 1000}s`], { timeoutMs: SOON_MS + 10_000 });
    drained.catch(() => undefined);
    await eventually('only gateways that finish their streams are left on the node', SOON_MS, async () => {
      const { items } = JSON.parse(await harness.kubectl(['get', 'pods', selector, '-o', 'json'])) as Pods;
      return items.every(
        ({ metadata: { labels, deletionTimestamp } }) =>
          labels['app.kubernetes.io/component'] === 'gateway' && deletionTimestamp !== undefined,
      );
    });
    // The next check reads the account from the console. The drain may have moved the only pod of the console, so the
    // test waits for this pod.
    await harness.kubectl(['rollout', 'status', 'deployment/svc-asr-console', '--timeout=180s']);
  });
  await drained;
  expect(await harness.kubectl(['get', 'pods', selector, '-o', 'name'])).toBe('');
  await harness.tools.kubectl(['uncordon', node]);
  await until(harness, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
}, 400_000);
