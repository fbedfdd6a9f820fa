import { openHarness, until } from './harness.ts';
import type { Harness } from './harness.ts';
import { KIKUYU, openAccess, underLiveStreams } from './live-streams.ts';
import type { Access } from './streams.ts';

const WORKERS = `asr.svc.dev/model=${KIKUYU}`;
let harness: Harness;
let access: Access;

beforeAll(async () => {
  harness = await openHarness();
  access = await openAccess(harness);
  await harness.kubectl(['patch', 'asrmodel', KIKUYU, '--type=merge', '-p', '{"spec":{"scaling":{"min":2}}}']);
  await until(harness, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
});

const podsOf = async (selector: string): Promise<string[]> => {
  const names = await harness.kubectl(['get', 'pods', '-l', selector, '-o', 'jsonpath={.items[*].metadata.name}']);
  return names.split(' ').filter((name) => name !== '');
};

describe('streams continue and the account balances', () => {
  test('while gateways are restarted', async () => {
    await underLiveStreams(harness, access, async () => {
      await harness.kubectl(['rollout', 'restart', 'deployment/svc-asr-gateway']);
      await harness.kubectl(['rollout', 'status', 'deployment/svc-asr-gateway', '--timeout=180s']);
    });
  });

  test('while a worker is killed', async () => {
    await underLiveStreams(harness, access, async () => {
      const [first = ''] = await podsOf(WORKERS);
      await harness.kubectl(['delete', 'pod', first, '--grace-period=0', '--force']);
      await until(harness, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
    });
  });

  test('while workers are restarted', async () => {
    await underLiveStreams(harness, access, async () => {
      const before = await podsOf(WORKERS);
      await harness.kubectl(['rollout', 'restart', 'deployment', '-l', WORKERS]);
      // `rollout status` would wait forever for the Deployment of an old revision that the operator deletes meanwhile.
      const restarted = before.map((name) => `pod/${name}`);
      await harness.kubectl(['wait', '--for=delete', ...restarted, '--timeout=200s'], { timeoutMs: 210_000 });
      await until(harness, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
    });
  });

  test('while the leading operator is killed and another one takes over', async () => {
    await underLiveStreams(harness, access, async () => {
      const holder = await harness.read('lease/svc-asr-operator', '.spec.holderIdentity');
      const operators = await podsOf('app.kubernetes.io/component=operator');
      const leader = operators.find((name) => holder.includes(name)) ?? '';
      expect(leader).not.toBe('');
      await harness.kubectl(['delete', 'pod', leader, '--grace-period=0', '--force']);
      await until(harness, 'lease/svc-asr-operator', '.spec.holderIdentity', new RegExp(`^(?!.*${leader}).+`));
    });
  });

  test('while Redis is restarted', async () => {
    await underLiveStreams(harness, access, async () => {
      await harness.kubectl(['delete', 'pod', 'svc-asr-redis-0']);
      await harness.kubectl(['rollout', 'status', 'statefulset/svc-asr-redis', '--timeout=180s']);
    });
  });
});
