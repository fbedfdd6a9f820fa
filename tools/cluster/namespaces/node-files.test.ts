import { buildCorefile } from './control-plane.ts';
import { buildContainerdConfig, buildKubeletConfig, buildKubeProxyConfig, buildNetworkConfig } from './node-files.ts';
import { planCluster } from './plan.ts';

const plan = planCluster({ name: 'one', home: '/home', nodes: 1 });
const [node] = plan.nodes;
const server = { cert: '', key: '', certFile: '/c.pem', keyFile: '/c.key' };

test('buildContainerdConfig puts all paths but that of the CNI plugins into the folder of the node', () => {
  const config = buildContainerdConfig(node, '/usr/lib/cni', 'overlayfs');
  const paths = [...config.matchAll(/^\s*(?:root|state|address|path|conf_dir) = "(.*)"$/gm)].map(([, path]) => path);
  expect(paths).toHaveLength(5);
  for (const path of paths) expect(path).toMatch(/^\/home\/cluster\/one\/node-1\//);
});

test('buildNetworkConfig connects pods with the ptp plugin', () => {
  expect(buildNetworkConfig(node)).toMatchObject({ plugins: [{ type: 'ptp' }, { type: 'portmap' }] });
});

test('the configurations of kubelet, kube-proxy and CoreDNS contain the names and addresses of the plan', () => {
  expect(buildKubeletConfig(plan, node, '/ca.pem', server)).toMatchObject({
    clusterDNS: [plan.dnsAddress],
    clusterDomain: 'cluster.local',
    cgroupRoot: `/${node.cgroup}`,
    containerRuntimeEndpoint: `unix://${node.socket}`,
  });
  expect(buildKubeProxyConfig(plan, node, '/k')).toMatchObject({
    clusterCIDR: plan.podRange,
    hostnameOverride: 'node-1',
  });
  expect(buildCorefile(plan, '/k')).toContain(`bind ${plan.dnsAddress}`);
});
