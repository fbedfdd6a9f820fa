import { eventually } from '../../test/support/eventually.ts';
import { createRedisPods } from './testing/redis-pods.ts';
import type { RedisPods } from './testing/redis-pods.ts';

const WITHIN_MS = 120_000;
let pods: RedisPods;

beforeAll(async () => {
  pods = await createRedisPods();
});
afterAll(() => pods.stop());

/**
 * Waits until the sentinels of all given pods report the same primary, and until that primary has at least this number
 * of replicas. The primary must not be `former`. Returns the primary.
 */
function untilPrimary(observers: readonly number[], replicas: number, former = -1): Promise<number> {
  return eventually('the sentinels agree on a primary', WITHIN_MS, async () => {
    const [primary = -1, ...others] = new Set(await Promise.all(observers.map((pod) => pods.primaryAt(pod))));
    if (others.length > 0 || primary === -1 || primary === former) return undefined;
    const info = await pods.ask(primary, 'INFO', 'replication');
    const isComplete = info.includes('role:master') && info.split('state=online').length - 1 >= replicas;
    return isComplete ? { primary } : undefined;
  }).then(({ primary }) => primary);
}

const isReplica = async (pod: number) => (await pods.ask(pod, 'INFO', 'replication')).includes('master_link_status:up');
const read = (pod: number) => pods.ask(pod, 'GET', 'k');

const untilAllHave = (value: string) =>
  eventually('all pods have the value', WITHIN_MS, async () =>
    (await Promise.all([0, 1, 2].map(read))).every((found) => found === value),
  );

test(
  'the replicated Redis of the chart fails over, and no data is lost when a pod restarts or when the volume of a pod is emptied',
  async () => {
    // Pods 1 and 2 start before pod 0, as they do if a single Redis becomes a replicated one.
    for (const pod of [2, 1, 0]) pods.start(pod);
    expect(await untilPrimary([0, 1, 2], 2)).toBe(0);
    await eventually('the write is accepted', WITHIN_MS, async () => (await pods.ask(0, 'SET', 'k', 'v')) === 'OK');
    await untilAllHave('v');

    // All pods stop, and the primary loses its volume.
    await pods.stop();
    pods.empty(0);
    pods.start(0);
    await eventually('the empty primary answers', WITHIN_MS, async () => (await pods.ask(0, 'PING')) === 'PONG');
    for (const pod of [1, 2]) pods.start(pod);
    for (const pod of [1, 2]) {
      await eventually(`pod ${pod} waits`, WITHIN_MS, () => pods.output(pod).includes('is empty'));
      expect(await read(pod)).toBe('');
    }
    await pods.kill(0);
    pods.restore(1, 0);
    pods.start(0);
    await untilAllHave('v');
    expect(await untilPrimary([0, 1, 2], 2)).toBe(0);

    await pods.kill(0);
    await pods.allowFailover(true);
    expect(await read(await untilPrimary([1, 2], 1, 0))).toBe('v');
    await pods.allowFailover(false);
    pods.start(0);
    await eventually('the former primary is a replica', WITHIN_MS, () => isReplica(0));
    const second = await untilPrimary([0, 1, 2], 2);

    // The primary loses its volume and restarts at once, before the sentinels notice that it was killed.
    await pods.kill(second);
    pods.empty(second);
    pods.start(second);
    await eventually('the emptied server waits', WITHIN_MS, () => pods.output(second).includes('has no data'));
    await pods.allowFailover(true);
    const others = [0, 1, 2].filter((pod) => pod !== second);
    await untilPrimary(others, 1, second);
    // A pause of the machine must not cause another failover.
    await pods.allowFailover(false);
    await eventually('the emptied server is a replica with the data', WITHIN_MS, async () => {
      return (await isReplica(second)) && (await read(second)) === 'v';
    });
    const third = await untilPrimary([0, 1, 2], 2, second);
    expect(await read(third)).toBe('v');
  },
  3 * WITHIN_MS,
);
