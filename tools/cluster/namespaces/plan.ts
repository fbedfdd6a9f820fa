import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** A node of a cluster: a set of Linux namespaces that behaves like a separate machine. */
export interface NodePlan {
  name: string;
  address: string;
  /** Address range of the pods on the node. */
  podRange: string;
  folder: string;
  /** Socket of containerd. */
  socket: string;
  /** Control group of the pods on the node, without a leading slash. */
  cgroup: string;
}

/** Names, addresses and paths of a cluster. They follow from its name, folder and number of nodes. */
export interface ClusterPlan {
  name: string;
  folder: string;
  /** The first node also runs the control plane. */
  nodes: readonly [NodePlan, ...NodePlan[]];
  apiUrl: string;
  /** Service address of the API server. */
  apiServiceAddress: string;
  dnsAddress: string;
  podRange: string;
  serviceRange: string;
  kubeconfig: string;
  certificates: string;
  logs: string;
  /** Folder of the persistent volumes. */
  volumes: string;
  /** Unix socket of the proxy to the API server. It is reachable from every network namespace. */
  apiSocket: string;
  state: string;
}

/** The kernel limits socket paths to 107 bytes, and containerd appends a suffix to the path of its socket. */
const MAX_SOCKET_PATH_BYTES = 100;
const MAX_NODES = 9;
const NAME = /^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/;
export const API_PORT = 6443;

/** Plans a cluster. Addresses exist only in its own network namespaces, so all clusters use the same addresses. */
export function planCluster({ name, home, nodes }: { name: string; home: string; nodes: number }): ClusterPlan {
  if (!NAME.test(name))
    throw new Error(`a cluster name has 1 to 22 characters of a-z, 0-9 and -, and "${name}" does not`);
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > MAX_NODES) {
    throw new Error(`a cluster has 1 to ${MAX_NODES} nodes, not ${nodes}`);
  }
  const folder = join(home, 'cluster', name);
  const [first = planNode(name, folder, 1), ...others] = Array.from({ length: nodes }, (_, at) =>
    planNode(name, folder, at + 1),
  );
  if (Buffer.byteLength(first.socket) > MAX_SOCKET_PATH_BYTES) {
    throw new Error(`the path ${folder} is too long for sockets: set SVC_ASR_HOME to a shorter path`);
  }
  return {
    name,
    folder,
    nodes: [first, ...others],
    apiUrl: `https://${first.address}:${API_PORT}`,
    apiServiceAddress: '10.96.0.1',
    dnsAddress: first.address,
    podRange: '10.90.0.0/16',
    serviceRange: '10.96.0.0/16',
    kubeconfig: join(folder, 'kubeconfig'),
    certificates: join(folder, 'certificates'),
    logs: join(folder, 'logs'),
    volumes: join(folder, 'volumes'),
    apiSocket: join(folder, 'api.sock'),
    state: join(folder, 'state.json'),
  };
}

/** First three bytes of node addresses. The last byte is the number of the node. */
const NODE_NETWORK = '10.89.0';

function planNode(cluster: string, clusterFolder: string, number: number): NodePlan {
  const name = `node-${number}`;
  const folder = join(clusterFolder, name);
  return {
    name,
    address: `${NODE_NETWORK}.${number}`,
    podRange: `10.90.${number}.0/24`,
    folder,
    socket: join(folder, 'containerd.sock'),
    // Clusters in other folders may have the same name, and all share the control groups of the machine.
    cgroup: `svc-asr-${cluster}-${hash(clusterFolder)}-${name}`,
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
