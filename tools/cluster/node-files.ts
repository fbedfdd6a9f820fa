import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyPairFiles } from './certificates.ts';
import type { ClusterPlan, NodePlan } from './plan.ts';

/** The name of the image that holds a pod's namespaces. */
export const PAUSE_REFERENCE = 'localhost/svc-asr-pause:1';

/** Files that the programs of a node are set up with. */
export interface NodeFiles {
  containerd: string;
  kubelet: string;
  kubeProxy: string;
}

/** The configuration of containerd, everything in the node's own folder. */
export function buildContainerdConfig(node: NodePlan, cniFolder: string, snapshotter: string): string {
  const within = (name: string) => JSON.stringify(join(node.folder, name));
  return `version = 2
root = ${within('containerd')}
state = ${within('containerd-state')}
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
]

[grpc]
  address = ${JSON.stringify(node.socket)}

[plugins."io.containerd.internal.v1.opt"]
  path = ${within('opt')}

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_REFERENCE}"
  # Without the right to lower it, containers could not be started at all.
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true

  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "${snapshotter}"
    default_runtime_name = "runc"

    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"

  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = ${JSON.stringify(cniFolder)}
    conf_dir = ${within('cni')}
`;
}

/** The network of a node's pods: each hangs on the node by a cable of its own, so that Services see all of its traffic. */
export function buildNetworkConfig(node: NodePlan): object {
  return {
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      {
        type: 'ptp',
        ipam: {
          type: 'host-local',
          dataDir: join(node.folder, 'addresses'),
          ranges: [[{ subnet: node.podRange }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}

/** The configuration of a kubelet. */
export function buildKubeletConfig(plan: ClusterPlan, node: NodePlan, caFile: string, server: KeyPairFiles): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: node.address,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: caFile } },
    authorization: { mode: 'Webhook' },
    tlsCertFile: server.certFile,
    tlsPrivateKeyFile: server.keyFile,
    containerRuntimeEndpoint: `unix://${node.socket}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${node.cgroup}`,
    failCgroupV1: false,
    enforceNodeAllocatable: [],
    clusterDNS: [plan.dnsAddress],
    clusterDomain: 'cluster.local',
    resolvConf: join(node.folder, 'resolv.conf'),
    podLogsDir: join(node.folder, 'pod-logs'),
    failSwapOn: false,
    oomScoreAdj: 0,
    maxPods: 200,
    // A disk that is nearly full is full of other things; and an image that is removed could not be had again.
    evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    imageGCHighThresholdPercent: 100,
    // A test cluster need not be spared: the defaults are for many nodes.
    serializeImagePulls: false,
    registryPullQPS: 0,
    kubeAPIQPS: 100,
    kubeAPIBurst: 200,
    shutdownGracePeriod: '0s',
  };
}

/** The configuration of kube-proxy. */
export function buildKubeProxyConfig(plan: ClusterPlan, node: NodePlan, kubeconfig: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
    bindAddress: node.address,
    healthzBindAddress: `${node.address}:10256`,
    metricsBindAddress: '127.0.0.1:10249',
    hostnameOverride: node.name,
    clusterCIDR: plan.podRange,
    clientConnection: { kubeconfig },
    // These limits are those of the whole machine, which is not the cluster's to change.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    oomScoreAdj: 0,
  };
}

/** Writes what the programs of a node are set up with. */
export function writeNodeFiles(
  plan: ClusterPlan,
  node: NodePlan,
  options: { caFile: string; server: KeyPairFiles; kubeconfig: string; cniFolder: string; snapshotter: string },
): NodeFiles {
  const write = (name: string, content: string | object) => {
    const file = join(node.folder, name);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2), { mode: 0o600 });
    return file;
  };
  mkdirSync(join(node.folder, 'cni'), { recursive: true });
  write('cni/10-pods.conflist', buildNetworkConfig(node));
  // Nobody outside can be asked.
  write('resolv.conf', '');
  return {
    containerd: write('containerd.toml', buildContainerdConfig(node, options.cniFolder, options.snapshotter)),
    kubelet: write('kubelet.json', buildKubeletConfig(plan, node, options.caFile, options.server)),
    kubeProxy: write('kube-proxy.json', buildKubeProxyConfig(plan, node, options.kubeconfig)),
  };
}
