import { expectBalanced } from '../e2e/balances.ts';
import { CHART, NAMESPACE, openHarness } from '../e2e/harness.ts';
import type { Harness } from '../e2e/harness.ts';
import { openAccess, TENANT, underLiveStreams } from '../e2e/live-streams.ts';
import { RELEASE } from '../e2e/release.ts';
import type { Access } from '../e2e/streams.ts';
import { openServers } from './servers.ts';
import type { RedisServers } from './servers.ts';

/**
 * Options of helm for a rollout of Redis. It takes minutes, because each of the three pods must be ready for a minute
 * before the next one starts.
 */
const ROLLOUT = ['--wait', '--timeout', '10m'];
const ROLLOUT_MS = 630_000;
const FIRST = 'svc-asr-redis-0';

let harness: Harness;
let access: Access;
let servers: RedisServers;

beforeAll(async () => {
  harness = await openHarness();
  access = await openAccess(harness);
  servers = openServers(harness);
});

const readCredits = async () => (await (await harness.openAdmin()).account(TENANT)).credits;

const setSentinel = (enabled: boolean) =>
  harness.tools.helm(
    [
      ...['upgrade', RELEASE, CHART, '-n', NAMESPACE, '--reset-then-reuse-values', ...ROLLOUT],
      `--set=redis.sentinel.enabled=${enabled}`,
    ],
    { timeoutMs: ROLLOUT_MS },
  );

test(
  'one chart value replaces the single Redis by a replicated one, and the accounts stay',
  async () => {
    const before = await readCredits();
    expect(before.consumed_ms).toBeGreaterThan(0);
    await setSentinel(true);
    await servers.untilReplicated();
    expect(await readCredits()).toEqual(before);
    await underLiveStreams(harness, access, () => Promise.resolve());
  },
  ROLLOUT_MS + 300_000,
);

describe('streams continue and the account balances', () => {
  test('while the pod of the primary is deleted and a replica takes over', async () => {
    await servers.untilReplicated();
    await underLiveStreams(harness, access, async () => {
      const primary = await servers.findPrimary();
      const nodes = (await harness.kubectl(['get', 'nodes', '-o', 'name'])).trim().split('\n');
      // No node accepts the new pod for a while. Otherwise the new pod would be ready before Sentinel replaces the
      // primary.
      await harness.kubectl(['cordon', ...nodes]);
      try {
        await harness.kubectl(['delete', 'pod', primary, '--grace-period=0', '--force']);
        expect(await servers.findPrimary(primary)).not.toBe(primary);
      } finally {
        await harness.kubectl(['uncordon', ...nodes]);
      }
    });
    await servers.untilReplicated();
  }, 480_000);

  test('during a planned failover', async () => {
    await underLiveStreams(harness, access, async () => {
      await servers.failOver();
    });
    await servers.untilReplicated();
  }, 480_000);
});

test(
  'the installation returns to one Redis with the documented steps, and keeps its accounts',
  async () => {
    const before = await readCredits();
    const services = ['gateway', 'operator', 'console'];
    await harness.kubectl(['scale', ...services.map((name) => `deployment/${RELEASE}-${name}`), '--replicas=0']);
    const selector = `app.kubernetes.io/instance=${RELEASE},app.kubernetes.io/component in (${services.join(',')})`;
    await harness.kubectl(['wait', '--for=delete', 'pod', '-l', selector, '--timeout=300s'], { timeoutMs: 310_000 });
    for (let primary = await servers.findPrimary(); primary !== FIRST;) primary = await servers.failOver();
    await servers.untilReplicated();
    await setSentinel(false);
    await harness.kubectl(['scale', ...services.map((name) => `deployment/${RELEASE}-${name}`), '--replicas=2']);
    expect(await readCredits()).toEqual(before);
    await underLiveStreams(harness, access, () => Promise.resolve());
    await expectBalanced(harness, TENANT);
  },
  ROLLOUT_MS + 600_000,
);
