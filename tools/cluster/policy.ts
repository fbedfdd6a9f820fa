/** Labels as selectors see them. */
type Labels = Readonly<Record<string, string>>;

export interface Selector {
  matchLabels?: Labels;
  matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}

export interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: readonly string[] };
}

export interface Port {
  protocol?: string;
  port?: number | string;
  endPort?: number;
}

/** What matters here of a NetworkPolicy. */
export interface Policy {
  metadata: { name: string; namespace: string };
  spec: {
    podSelector: Selector;
    policyTypes?: readonly string[];
    ingress?: readonly { from?: readonly Peer[]; ports?: readonly Port[] }[];
    egress?: readonly { to?: readonly Peer[]; ports?: readonly Port[] }[];
  };
}

/** What matters here of a pod. */
export interface Pod {
  metadata: { name: string; namespace: string; labels?: Labels };
  spec: { nodeName?: string; hostNetwork?: boolean };
  status?: { podIP?: string; phase?: string };
}

/** What matters here of a namespace. */
export interface Namespace {
  metadata: { name: string; labels?: Labels };
}

/** Everything that decides who may speak to whom. */
export interface World {
  policies: readonly Policy[];
  pods: readonly Pod[];
  namespaces: readonly Namespace[];
}

export type Direction = 'ingress' | 'egress';

/** One thing that is allowed: to speak with an address, or with any, at a port of a protocol, or at any. */
export interface Allowance {
  address?: string;
  protocol?: string;
  ports?: string;
}

/** The pods that have an address of their own. */
export function addressed(pods: readonly Pod[]): (Pod & { status: { podIP: string } })[] {
  return pods.filter(
    (pod): pod is Pod & { status: { podIP: string } } =>
      pod.spec.hostNetwork !== true &&
      pod.status?.podIP !== undefined &&
      pod.status.phase !== 'Succeeded' &&
      pod.status.phase !== 'Failed',
  );
}

/**
 * What a pod may do in a direction; undefined where no policy is for it, so that it may do everything. Exceptions of an
 * ipBlock and ports with names are not known here: rules with them allow nothing.
 */
export function findAllowed(world: World, pod: Pod, direction: Direction): Allowance[] | undefined {
  const { namespace, labels } = pod.metadata;
  const policies = world.policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === namespace && selects(spec.podSelector, labels) && directionsOf(spec).has(direction),
  );
  if (policies.length === 0) return undefined;
  return policies
    .flatMap(({ spec }) => rulesOf(spec, direction))
    .flatMap(({ peers, ports }) => {
      const whom = isNamed(peers)
        ? peers.flatMap((peer) => findAddresses(world, namespace, peer)).map((address) => ({ address }))
        : [{}];
      const where = isNamed(ports) ? ports.flatMap(readPorts) : [{}];
      return whom.flatMap((address) => where.map((port) => ({ ...address, ...port })));
    });
}

function rulesOf({ ingress = [], egress = [] }: Policy['spec'], direction: Direction) {
  if (direction === 'ingress') return ingress.map(({ from, ports }) => ({ peers: from, ports }));
  return egress.map(({ to, ports }) => ({ peers: to, ports }));
}

/** A list that is empty or missing names nothing, and so leaves everything open. */
function isNamed<T>(list: readonly T[] | undefined): list is readonly T[] {
  return list !== undefined && list.length > 0;
}

function directionsOf({ policyTypes, egress }: Policy['spec']): Set<string> {
  const types = policyTypes ?? (egress === undefined ? ['Ingress'] : ['Ingress', 'Egress']);
  return new Set(types.map((type) => type.toLowerCase()));
}

function findAddresses({ pods, namespaces }: World, own: string, peer: Peer): string[] {
  const { ipBlock, podSelector = {}, namespaceSelector } = peer;
  if (ipBlock !== undefined) {
    return isNamed(ipBlock.except) ? [] : [ipBlock.cidr];
  }
  const within = namespaces
    .filter(({ metadata: { name, labels } }) =>
      namespaceSelector === undefined ? name === own : selects(namespaceSelector, labels),
    )
    .map(({ metadata }) => metadata.name);
  return addressed(pods)
    .filter(({ metadata }) => within.includes(metadata.namespace) && selects(podSelector, metadata.labels))
    .map(({ status }) => status.podIP);
}

function readPorts({ protocol = 'TCP', port, endPort }: Port): Omit<Allowance, 'address'>[] {
  if (typeof port === 'string') return [];
  const ports = port === undefined ? {} : { ports: endPort === undefined ? `${port}` : `${port}:${endPort}` };
  return [{ protocol: protocol.toLowerCase(), ...ports }];
}

/** Whether a selector is for something with these labels. */
export function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels = {}): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      const isIn = value !== undefined && values.includes(value);
      return operator === 'In' ? isIn : !isIn;
    })
  );
}
