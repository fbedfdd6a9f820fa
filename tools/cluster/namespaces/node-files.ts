import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyPairFiles } from './certificates.ts';
import type { ClusterPlan, NodePlan } from './plan.ts';

/** Reference of the pause image, which keeps the namespaces of a pod open. */
export const PAUSE_REFERENCE = 'localhost/svc-asr-pause:1';

/** Configuration files of the programs of a node. */
export interface NodeFiles {
  containerd: string;
  kubelet: string;
  kubeProxy: string;
}

/** Configures containerd to keep its data, state and socket in the folder of the node. */
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
  # Lowering an OOM score takes a privilege that a container such as a CI job lacks.
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

/** Configures the pod network. A veth pair connects each pod to its node, so iptables rules see all traffic of pods. */
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

/** Configures a kubelet. */
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
    // The limits are low, because other files may nearly fill the disk, and nodes cannot pull an evicted image again.
    evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    imageGCHighThresholdPercent: 100,
    // The default limits protect registries and control planes of large clusters, and would only slow down this one.
    serializeImagePulls: false,
    registryPullQPS: 0,
    kubeAPIQPS: 100,
    kubeAPIBurst: 200,
    shutdownGracePeriod: '0s',
  };
}

/** Configures kube-proxy. */
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
    // Zero leaves these limits of the kernel unchanged, because they apply to the whole machine.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    oomScoreAdj: 0,
  };
}

/** Writes the configuration files of a node. */
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
  // This file is empty, because nodes reach no DNS server outside the cluster.
  write('resolv.conf', '');
  return {
    containerd: write('containerd.toml', buildContainerdConfig(node, options.cniFolder, options.snapshotter)),
    kubelet: write('kubelet.json', buildKubeletConfig(plan, node, options.caFile, options.server)),
    kubeProxy: write('kube-proxy.json', buildKubeProxyConfig(plan, node, options.kubeconfig)),
  };
}
