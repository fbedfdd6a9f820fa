import { KIKUYU, openAccess, underLiveStreams } from './live.ts';
import type { Access } from './speak.ts';
import { openStage, until } from './stage.ts';
import type { Stage } from './stage.ts';

const WORKERS = `asr.svc.dev/model=${KIKUYU}`;
let stage: Stage;
let access: Access;

beforeAll(async () => {
  stage = await openStage();
  access = await openAccess(stage);
  await stage.kubectl(['patch', 'asrmodel', KIKUYU, '--type=merge', '-p', '{"spec":{"scaling":{"min":2}}}']);
  await until(stage, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
});
afterAll(() => stage.close());

const pods = async (selector: string): Promise<string[]> => {
  const names = await stage.kubectl(['get', 'pods', '-l', selector, '-o', 'jsonpath={.items[*].metadata.name}']);
  return names.split(' ').filter((name) => name !== '');
};

test('gateways are restarted', async () => {
  await underLiveStreams(stage, access, async () => {
    await stage.kubectl(['rollout', 'restart', 'deployment/svc-asr-gateway']);
    await stage.kubectl(['rollout', 'status', 'deployment/svc-asr-gateway', '--timeout=180s']);
  });
});

test('a worker is killed', async () => {
  await underLiveStreams(stage, access, async () => {
    const [first = ''] = await pods(WORKERS);
    await stage.kubectl(['delete', 'pod', first, '--grace-period=0', '--force']);
    await until(stage, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
  });
});

test('workers are restarted', async () => {
  await underLiveStreams(stage, access, async () => {
    const before = await pods(WORKERS);
    await stage.kubectl(['rollout', 'restart', 'deployment', '-l', WORKERS]);
    await stage.kubectl(['rollout', 'status', 'deployment', '-l', WORKERS, '--timeout=200s']);
    const after = await pods(WORKERS);
    expect(after.some((name) => !before.includes(name))).toBe(true);
  });
});

test('the operator that leads is killed', async () => {
  await underLiveStreams(stage, access, async () => {
    const holder = await stage.read('lease/svc-asr-operator', '.spec.holderIdentity');
    const leader = (await pods('app.kubernetes.io/component=operator')).find((name) => holder.includes(name)) ?? '';
    expect(leader).not.toBe('');
    await stage.kubectl(['delete', 'pod', leader, '--grace-period=0', '--force']);
    await until(stage, 'lease/svc-asr-operator', '.spec.holderIdentity', new RegExp(`^(?!.*${leader}).+`));
  });
});

test('Redis is restarted: who speaks goes on, and nothing of the books is lost', async () => {
  await underLiveStreams(stage, access, async () => {
    await stage.kubectl(['delete', 'pod', 'svc-asr-redis-0']);
    await stage.kubectl(['rollout', 'status', 'statefulset/svc-asr-redis', '--timeout=180s']);
  });
});
