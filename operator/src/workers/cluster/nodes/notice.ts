import type { V1Node } from '@kubernetes/client-node';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { NodeNotice } from '../../runtime.ts';

/**
 * Taints by which other programs announce that a node is about to be removed. `DeletionCandidateOfClusterAutoscaler` is
 * not one of them, because the autoscaler may still keep such a node.
 */
export const REMOVAL_TAINTS: readonly string[] = [
  'ToBeDeletedByClusterAutoscaler',
  'karpenter.sh/disrupted',
  'karpenter.sh/disruption',
  'aws-node-termination-handler/spot-itn',
  'aws-node-termination-handler/scheduled-maintenance',
  'aws-node-termination-handler/asg-lifecycle-termination',
  'aws-node-termination-handler/rebalance-recommendation',
  'cloud.google.com/impending-node-termination',
  'remediator.kubernetes.azure.com/unschedulable',
  'node.cloudprovider.kubernetes.io/shutdown',
  'node.kubernetes.io/out-of-service',
];

/** Returns a notice if the node is about to be removed or accepts no further pods. Otherwise returns undefined. */
export function readNotice(object: KubeObject, keys: readonly string[]): NodeNotice | undefined {
  const { deletionTimestamp, annotations = {} } = object.metadata;
  const { taints = [], unschedulable } = (object as Pick<V1Node, 'spec'>).spec ?? {};
  if (deletionTimestamp !== undefined) return { kind: 'removal', reason: 'it is being deleted' };
  const taint = taints.find(({ key }) => REMOVAL_TAINTS.includes(key) || keys.includes(key));
  if (taint !== undefined) return { kind: 'removal', reason: `taint ${taint.key}` };
  const annotation = keys.find((key) => annotations[key] !== undefined);
  if (annotation !== undefined) return { kind: 'removal', reason: `annotation ${annotation}` };
  return unschedulable === true ? { kind: 'cordon', reason: 'it is cordoned' } : undefined;
}

/**
 * Returns a node with only the fields that `readNotice` reads. This saves memory, because nodes are large and there may
 * be thousands.
 */
export function trimNode({ apiVersion, kind, metadata, ...rest }: KubeObject, keys: readonly string[]): KubeObject {
  const { name, uid, resourceVersion, deletionTimestamp, annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(([key]) => keys.includes(key));
  const { spec } = rest as Pick<V1Node, 'spec'>;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      annotations: Object.fromEntries(kept),
    },
    spec: { taints: spec?.taints, unschedulable: spec?.unschedulable },
  };
}

/** Describes a notice and its effect on workers, for the log and for events. */
export function describeNotice(node: string, { kind, reason }: NodeNotice): string {
  return kind === 'removal'
    ? `node ${node} is about to be removed (${reason}). Its workers take no new streams, and their streams move`
    : `node ${node} gets no further pods (${reason}). Its workers are replaced by workers on other nodes`;
}
