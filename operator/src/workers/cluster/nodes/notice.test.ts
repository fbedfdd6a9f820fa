import type { KubeObject } from '@svc-asr/kubernetes';
import { readNotice, trimNode } from './notice.ts';

const KEYS = ['example.com/reclaim'];
const node = (spec: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', ...metadata },
  spec,
  status: { images: [] },
});
const read = (object: KubeObject) => readNotice(trimNode(object, KEYS), KEYS);
const taint = (key: string, effect = 'NoSchedule') => ({ taints: [{ key, effect }] });

test.each([
  ['a taint of the cluster autoscaler', node(taint('ToBeDeletedByClusterAutoscaler'))],
  ['a taint of Karpenter', node(taint('karpenter.sh/disrupted'))],
  ['a spot notice of AWS', node(taint('aws-node-termination-handler/spot-itn'))],
  ['a termination notice of GKE', node(taint('cloud.google.com/impending-node-termination'))],
  ['a drain by AKS', node(taint('remediator.kubernetes.azure.com/unschedulable'))],
  ['a taint with a configured key', node(taint('example.com/reclaim', 'PreferNoSchedule'))],
  ['an annotation with a configured key', node({}, { annotations: { 'example.com/reclaim': '2026-01-01T00:00:00Z' } })],
  ['a deletion timestamp', node({}, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
])('a node with %s is about to be removed', (_sign, object) => {
  expect(read(object)).toMatchObject({ kind: 'removal' });
});

test.each([
  ['nothing special', node({})],
  ['the taint of a GPU node', node(taint('nvidia.com/gpu'))],
  ['the taint of a spot node', node(taint('kubernetes.azure.com/scalesetpriority'))],
  ['the taint of a node that the cluster autoscaler may keep', node(taint('DeletionCandidateOfClusterAutoscaler'))],
  ['an annotation with another key', node({}, { annotations: { 'example.com/other': '' } })],
])('a node with %s has no notice', (_sign, object) => {
  expect(read(object)).toBeUndefined();
});

test('a cordoned node has a notice of the kind cordon, not of the kind removal', () => {
  expect(read(node({ unschedulable: true }))).toEqual({ kind: 'cordon', reason: 'it is cordoned' });
});

test('trimNode keeps only the fields of a node from which readNotice decides whether the node will be removed', () => {
  const annotations = { 'example.com/reclaim': '', 'example.com/other': '' };
  expect(trimNode(node({ podCIDR: '10.0.0.0/24' }, { annotations }), KEYS)).toEqual({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', annotations: { 'example.com/reclaim': '' } },
    spec: { taints: undefined, unschedulable: undefined },
  });
});
