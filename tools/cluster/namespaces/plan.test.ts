import { networkCommands } from './network.ts';
import { planCluster } from './plan.ts';

const plan = (options: Partial<Parameters<typeof planCluster>[0]> = {}) =>
  planCluster({ name: 'one', home: '/home/svc-asr', nodes: 1, ...options });

test('planCluster gives each node its own name, addresses, folder, socket and control group', () => {
  const { nodes } = plan({ nodes: 3 });
  for (const key of ['name', 'address', 'podRange', 'folder', 'socket', 'cgroup'] as const) {
    expect(new Set(nodes.map((node) => node[key])).size).toBe(3);
  }
});

test('clusters with different names share no folder and no control group', () => {
  const [a, b] = [plan({ name: 'a' }), plan({ name: 'b' })];
  expect(a.folder).not.toBe(b.folder);
  expect(a.nodes[0].cgroup).not.toBe(b.nodes[0].cgroup);
});

test('clusters with the same name in different folders share no control group', () => {
  const cgroups = ['/home/a', '/home/b'].map((home) => plan({ home }).nodes[0].cgroup);
  expect(cgroups[0]).not.toBe(cgroups[1]);
  expect(cgroups[0]).toBe(plan({ home: '/home/a' }).nodes[0].cgroup);
});

test.each(['', 'Capital', 'has space', '../up', '-a', 'a-', 'a'.repeat(23)])(
  'planCluster rejects %j as a cluster name',
  (name) => {
    expect(() => plan({ name })).toThrow('a cluster name has');
  },
);

test.each([0, 10, 1.5, Number.NaN])('planCluster rejects %d as the number of nodes', (nodes) => {
  expect(() => plan({ nodes })).toThrow('1 to 9 nodes');
});

test('planCluster rejects a folder whose path is too long for sockets', () => {
  expect(() => plan({ home: `/${'deep/'.repeat(20)}` })).toThrow('SVC_ASR_HOME');
});

test('networkCommands connects nodes to a bridge in the first node and adds routes to the pods of the other nodes', () => {
  const { nodes } = plan({ nodes: 2 });
  const lines = networkCommands(nodes, () => 42).map(([node, line]) => `${node.name}: ${line}`);
  expect(lines).toContain('node-1: ip link add node-2 type veth peer name eth0 netns 42');
  expect(lines).toContain('node-2: ip address add 10.89.0.2/24 dev eth0');
  expect(lines).toContain('node-1: ip route add 10.90.2.0/24 via 10.89.0.2');
  expect(lines).toContain('node-2: ip route add 10.90.1.0/24 via 10.89.0.1');
});

test('networkCommands creates no veth pair for a single node', () => {
  const lines = networkCommands(plan().nodes, () => 42).map(([, line]) => line);
  expect(lines.filter((line) => line.includes('veth'))).toEqual([]);
});
