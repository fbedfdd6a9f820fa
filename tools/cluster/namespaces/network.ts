import { runInside } from './node-namespaces.ts';
import type { ClusterPlan, NodePlan } from './plan.ts';
import type { ProcessRecord } from './state.ts';

/** Bridge in the first node that connects all nodes. */
const BRIDGE = 'nodes';

/**
 * Returns the commands that connect the nodes with each other and with nothing else, each with the node to run it in.
 */
export function networkCommands(nodes: ClusterPlan['nodes'], pidOf: (node: NodePlan) => number): [NodePlan, string][] {
  const [first, ...others] = nodes;
  const each = (build: (node: NodePlan) => string[]) =>
    nodes.flatMap((node) => build(node).map((command): [NodePlan, string] => [node, command]));
  return [
    ...each(() => ['ip link set lo up', 'sysctl -q -w net.ipv4.ip_forward=1']),
    [first, `ip link add ${BRIDGE} type bridge`],
    [first, `ip address add ${first.address}/24 dev ${BRIDGE}`],
    [first, `ip link set ${BRIDGE} up`],
    ...others.flatMap((node): [NodePlan, string][] => [
      [first, `ip link add ${node.name} type veth peer name eth0 netns ${pidOf(node)}`],
      [first, `ip link set ${node.name} master ${BRIDGE} up`],
      [node, `ip address add ${node.address}/24 dev eth0`],
      [node, 'ip link set eth0 up'],
    ]),
    ...each((node) => [
      // The kernel routes a packet before kube-proxy rewrites its address, so Service addresses need some route.
      `ip route add default via ${first.address}${node === first ? ` dev ${BRIDGE}` : ''}`,
      ...nodes.filter((other) => other !== node).map((other) => `ip route add ${other.podRange} via ${other.address}`),
    ]),
  ];
}

/** Connects the nodes of a cluster. */
export async function connectNodes(plan: ClusterPlan, initOf: (node: NodePlan) => ProcessRecord): Promise<void> {
  for (const [node, command] of networkCommands(plan.nodes, (other) => initOf(other).pid)) {
    await runInside(initOf(node), ['net'], command.split(' '));
  }
}
