import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** A node of a cluster: namespaces of this machine that behave like a machine of their own. */
export interface NodePlan {
  name: string;
  address: string;
  /** The addresses of its pods. */
  podRange: string;
  folder: string;
  /** containerd's socket. */
  socket: string;
  /** The control group of its pods, without a slash in front. */
  cgroup: string;
}

/** Names, addresses and places of a cluster, all of them decided beforehand. */
export interface ClusterPlan {
  name: string;
  folder: string;
  /** The first one runs the control plane too. */
  nodes: readonly [NodePlan, ...NodePlan[]];
  apiUrl: string;
  /** The address that pods reach the API server at. */
  apiServiceAddress: string;
  dnsAddress: string;
  podRange: string;
  serviceRange: string;
  kubeconfig: string;
  certificates: string;
  logs: string;
  /** What persistent volumes lie in. */
  volumes: string;
  /** Through which processes outside reach addresses inside. */
  dialSocket: string;
  state: string;
}

/** The length of a socket's path has a limit, of which containerd needs some itself. */
const LONGEST_SOCKET = 100;
const MOST_NODES = 9;
const NAME = /^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/;
export const API_PORT = 6443;

/** Plans a cluster. Its addresses exist in its own network namespaces only, so every cluster has the same. */
export function planCluster({ name, home, nodes }: { name: string; home: string; nodes: number }): ClusterPlan {
  if (!NAME.test(name))
    throw new Error(`the name of a cluster is of a-z, 0-9 and -, at most 22 of them, not "${name}"`);
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > MOST_NODES) {
    throw new Error(`a cluster has 1 to ${MOST_NODES} nodes, not ${nodes}`);
  }
  const folder = join(home, 'cluster', name);
  const [first = planNode(name, folder, 1), ...others] = Array.from({ length: nodes }, (_, at) =>
    planNode(name, folder, at + 1),
  );
  if (Buffer.byteLength(first.socket) > LONGEST_SOCKET) {
    throw new Error(`${folder} is too long a path for sockets: choose a shorter folder with SVC_ASR_HOME`);
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
    dialSocket: join(folder, 'dial.sock'),
    state: join(folder, 'state.json'),
  };
}

/** Nodes have the first addresses of this network. */
const NODE_NETWORK = '10.89.0';
/** The addresses of all nodes. */
export const NODE_RANGE = `${NODE_NETWORK}.0/24`;

function planNode(cluster: string, clusterFolder: string, number: number): NodePlan {
  const name = `node-${number}`;
  const folder = join(clusterFolder, name);
  return {
    name,
    address: `${NODE_NETWORK}.${number}`,
    podRange: `10.90.${number}.0/24`,
    folder,
    socket: join(folder, 'containerd.sock'),
    // These are the machine's, where clusters of other folders may have the same name.
    cgroup: `svc-asr-${cluster}-${hash(clusterFolder)}-${name}`,
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
