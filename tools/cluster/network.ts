import { runCommand } from './command.ts';
import { enter } from './namespaces.ts';
import type { ClusterPlan, NodePlan } from './plan.ts';
import type { ProcessRecord } from './state.ts';

/** The bridge in the first node that all nodes hang on. */
const BRIDGE = 'nodes';

/** Commands, each with the node that it runs in, that connect the nodes with each other and with nothing else. */
export function networkCommands(nodes: ClusterPlan['nodes'], pidOf: (node: NodePlan) => number): [NodePlan, string][] {
  const [first, ...others] = nodes;
  return [
    ...nodes.flatMap((node): [NodePlan, string][] => [
      [node, 'ip link set lo up'],
      [node, 'sysctl -q -w net.ipv4.ip_forward=1'],
    ]),
    [first, `ip link add ${BRIDGE} type bridge`],
    [first, `ip address add ${first.address}/24 dev ${BRIDGE}`],
    [first, `ip link set ${BRIDGE} up`],
    ...others.flatMap((node): [NodePlan, string][] => [
      [first, `ip link add ${node.name} type veth peer name eth0 netns ${pidOf(node)}`],
      [first, `ip link set ${node.name} master ${BRIDGE} up`],
      [node, `ip address add ${node.address}/24 dev eth0`],
      [node, 'ip link set eth0 up'],
    ]),
    ...nodes.flatMap((node) => [
      // Services are rewritten on their way out, so there has to be a way, be it one that leads nowhere.
      [node, `ip route add default via ${first.address}${node === first ? ` dev ${BRIDGE}` : ''}`] as [
        NodePlan,
        string,
      ],
      ...nodes
        .filter((other) => other !== node)
        .map((other): [NodePlan, string] => [node, `ip route add ${other.podRange} via ${other.address}`]),
    ]),
  ];
}

/** Connects the nodes. */
export async function connectNodes(plan: ClusterPlan, initOf: (node: NodePlan) => ProcessRecord): Promise<void> {
  for (const [node, line] of networkCommands(plan.nodes, (other) => initOf(other).pid)) {
    const [command, ...args] = enter(initOf(node), ['net']);
    await runCommand(command, [...args, ...line.split(' ')]);
  }
}
