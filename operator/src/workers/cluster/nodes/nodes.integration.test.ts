import { KUBERNETES_TIMEOUT_MS } from '../../../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../../../test/support/kubernetes.ts';
import { createStage, startCluster } from '../../../testing/cluster-stage.ts';
import type { Stage } from '../../../testing/cluster-stage.ts';
import { eventually } from '../../../testing/eventually.ts';
import { placed as placedOn } from '../../../testing/placed.ts';
import { model } from '../../../testing/resources.ts';
import { LABELS } from '../names.ts';

const LONG_MS = 60_000;
const TEST_MS = 180_000;
/** Status of a pod whose worker crashes repeatedly. */
const CRASHING = {
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [
    {
      name: 'worker',
      image: 'worker:1',
      imageID: '',
      ready: false,
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1 } },
    },
  ],
};
/** Taint that announces the removal of a node. */
const NOTICE = 'karpenter.sh/disrupted';
const SECOND_NODE = 'notice-node';
let kubernetes: Kubernetes;
let stage: Stage;

beforeAll(async () => {
  kubernetes = await startCluster();
}, KUBERNETES_TIMEOUT_MS);
afterAll(() => kubernetes.stop());
afterEach(async () => {
  // Other test files use the same control plane and nodes. A failed test may have left its taint and cordons behind.
  const open = { spec: { taints: null, unschedulable: null } };
  for (const node of ['test-node', SECOND_NODE]) {
    await kubernetes.request('PATCH', `/api/v1/nodes/${node}`, open, 'application/merge-patch+json');
  }
  await stage.close();
}, LONG_MS);

const quick = { bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 0, idleToZeroSeconds: 0 };
const pool = (scaling: object) => model('m', { scaling: { ...quick, ...scaling }, rollout: { windowSeconds: 0 } });
const workers = () => stage.ledger.workers.list('m');
const pods = () => stage.list('pods', `${LABELS.model}=m`);
const held = (sessionId: string) => stage.ledger.pools.claim('m', sessionId, Date.now() + 600_000);
const leave = (sessionId: string) => stage.ledger.pools.leave('m', sessionId, 't');
const placed = (sessionId: string) => placedOn(stage.ledger, 'm', sessionId);
const upToNumber = (count: number) =>
  eventually(async () => {
    const found = (await workers()).filter(({ draining }) => !draining);
    expect(found).toHaveLength(count);
    expect(await pods()).toHaveLength(count);
    return found;
  }, LONG_MS);

test(
  'a worker on a node with a removal notice drains at once, and a worker on a cordoned node is replaced on another node',
  async () => {
    stage = await createStage(kubernetes, { nodes: ['test-node', SECOND_NODE], env: { WORKER_NODE_NOTICES: 'true' } });
    await stage.kubectl(['cordon', SECOND_NODE]);
    await stage.apply(pool({ min: 1, max: 1 }));
    const [first] = await upToNumber(1);
    await held('a');
    await placed('a');
    await stage.kubectl(['taint', 'node', 'test-node', `${NOTICE}:NoSchedule`]);
    await eventually(async () => expect(await workers()).toMatchObject([{ id: first?.id, draining: true }]), LONG_MS);
    await stage.kubectl(['uncordon', SECOND_NODE]);
    await leave('a');
    const moved = await eventually(async () => {
      const [found] = await upToNumber(1);
      expect(found?.id).not.toBe(first?.id);
      return found?.id;
    }, LONG_MS);
    await stage.kubectl(['taint', 'node', 'test-node', `${NOTICE}-`]);
    await stage.kubectl(['cordon', SECOND_NODE]);
    await eventually(async () => expect((await upToNumber(1))[0]?.id).not.toBe(moved), LONG_MS);
    expect(await pods()).toMatchObject([{ spec: { nodeName: 'test-node' } }]);
  },
  TEST_MS,
);

test(
  'crash-looping workers on a node are replaced on another node, and the other workers keep running',
  async () => {
    const sickNode = 'sick-node';
    // The stub of the scheduler uses the nodes in turn. Without the affinity of the pods, it would choose the sick node
    // for one of the two replacements.
    stage = await createStage(kubernetes, { nodes: [sickNode, 'test-node'], sickNode });
    await stage.apply(pool({ min: 3, max: 3 }));
    const first = await eventually(async () => {
      const found = await workers();
      expect(found).toHaveLength(1);
      return found[0]?.id;
    }, LONG_MS);
    const sick = await eventually(async () => {
      const found = (await pods()).filter((pod) => pod.metadata.name !== first);
      const conditions = expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]) as object;
      const ready = { spec: { nodeName: sickNode }, status: { conditions } };
      expect(found).toMatchObject([ready, ready]);
      return found.map(({ metadata }) => metadata.name);
    }, LONG_MS);
    const status = `--patch=${JSON.stringify({ status: CRASHING })}`;
    for (const name of sick) await stage.kubectl(['patch', 'pod', name, '--subresource=status', status]);
    const found = (await upToNumber(3)).map(({ id }) => id);
    expect(found).toContain(first);
    for (const name of sick) expect(found).not.toContain(name);
    for (const pod of await pods()) expect(pod).toMatchObject({ spec: { nodeName: 'test-node' } });
    expect(await stage.list('apps/replicasets', `${LABELS.model}=m`)).toHaveLength(1);
  },
  TEST_MS,
);
