import { TYPES } from '@svc-asr/kubernetes';
import { createClusterApi } from '../../../testing/cluster-api.ts';
import { createNodeNotices } from './node-notices.ts';

const REMOVAL = { kind: 'removal', reason: 'taint karpenter.sh/disrupted' };
const TAINTS = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }];

test('a node notice applies only to pods that were scheduled before the notice appeared, and each change of the notice is reported only once', () => {
  const cluster = createClusterApi();
  const changes: unknown[] = [];
  let nowMs = 10;
  const notices = createNodeNotices({
    reflect: cluster.reflect,
    keys: [],
    onChange: (node, notice) => changes.push([node, notice?.kind]),
    nowMs: () => nowMs,
  });
  const put = (spec: object) => cluster.put(TYPES.Node, { metadata: { name: 'n' }, spec });
  put({});
  expect(notices.find('n', 5)).toBeUndefined();
  put({ unschedulable: true });
  expect(notices.find('n', 5)).toMatchObject({ kind: 'cordon' });
  nowMs = 20;
  put({ unschedulable: true, taints: TAINTS });
  put({ unschedulable: true, taints: TAINTS });
  expect([notices.find('n', 5), notices.find('other', 5)]).toEqual([REMOVAL, undefined]);
  // This pod was scheduled after the notice, so it tolerates the taint. A replacement could be scheduled to the same
  // node.
  expect(notices.find('n', 15)).toBeUndefined();
  put({});
  expect(notices.find('n', 5)).toBeUndefined();
  expect(changes).toEqual([
    ['n', 'cordon'],
    ['n', 'removal'],
    ['n', undefined],
  ]);
});
