import type { V1LabelSelector } from '@kubernetes/client-node';
import type { TestPod } from './pods.ts';
import { demand } from './request.ts';
import type { KubeRequest } from './request.ts';

const NODES = '/api/v1/nodes';

interface Node {
  metadata: { name: string };
  spec: { unschedulable?: boolean; taints?: { effect: string }[] };
}

/** Creates nodes that exist only in the API. Existing nodes are not changed. */
export async function createNodes(
  request: KubeRequest,
  names: readonly string[],
  devices: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const name of names) {
    const created = await request('POST', NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
    if (created.status === 409) continue;
    await demand(created);
    const room = { cpu: '1000', memory: '1000Gi', pods: '10000', ...devices };
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', message: '' }];
    const status = { capacity: room, allocatable: room, conditions };
    const patch = 'application/merge-patch+json';
    await demand(request('PATCH', `${NODES}/${name}/status`, { status }, patch));
    // A new node has a taint that keeps pods off until the node is ready.
    await demand(request('PATCH', `${NODES}/${name}`, { spec: { taints: null } }, patch));
  }
}

/** Returns the given nodes that are neither cordoned nor have a taint with the effect NoSchedule. */
export async function findOpenNodes(request: KubeRequest, names: readonly string[]): Promise<string[]> {
  const { items } = (await demand(request('GET', NODES))) as { items: Node[] };
  const open = items
    .filter(
      ({ spec }) => spec.unschedulable !== true && (spec.taints ?? []).every(({ effect }) => effect !== 'NoSchedule'),
    )
    .map(({ metadata }) => metadata.name);
  return names.filter((name) => open.includes(name));
}

/**
 * Returns the nodes that the required anti-affinity of a pod excludes, because of other pods that already run on them.
 */
export function findExcludedNodes({ spec }: TestPod, pods: readonly TestPod[]): string[] {
  const terms = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const isAvoided = ({ metadata }: TestPod) =>
    terms.some(({ labelSelector }) => labelSelector !== undefined && matches(labelSelector, metadata.labels ?? {}));
  return pods.filter(isAvoided).flatMap(({ spec: { nodeName } }) => nodeName ?? []);
}

/**
 * Returns whether a selector matches labels. Supports only the selector operator `Exists`, because svc-asr uses no
 * other.
 */
function matches(
  { matchLabels = {}, matchExpressions = [] }: V1LabelSelector,
  labels: Record<string, string>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator }) => operator === 'Exists' && labels[key] !== undefined)
  );
}
