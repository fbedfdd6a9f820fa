import type {
  V1LabelSelector,
  V1Namespace,
  V1NetworkPolicy,
  V1NetworkPolicyIngressRule,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
  V1NetworkPolicySpec,
  V1Pod,
} from '@kubernetes/client-node';

type Labels = Readonly<Record<string, string>>;

/** Objects of a cluster that determine which connections its NetworkPolicies allow. */
export interface PolicyInputs {
  policies: readonly V1NetworkPolicy[];
  pods: readonly V1Pod[];
  namespaces: readonly V1Namespace[];
}

export type Direction = 'ingress' | 'egress';

/** Connections that a rule allows. An undefined field matches every address, protocol or port. */
export interface Allowance {
  address?: string;
  protocol?: string;
  ports?: string;
}

/** Returns the address of a pod, or undefined if the pod has none, has ended or shares the address of its node. */
export function addressOf({ spec, status }: V1Pod): string | undefined {
  const ended = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return spec?.hostNetwork === true || ended ? undefined : status?.podIP;
}

/**
 * Returns the connections that policies allow for a pod in one direction. Undefined if no policy restricts the pod in
 * this direction, so that all connections are allowed. Named ports and ipBlocks with exceptions are not supported and
 * allow nothing.
 */
export function findAllowed(inputs: PolicyInputs, pod: V1Pod, direction: Direction): Allowance[] | undefined {
  const { namespace = '', labels } = pod.metadata ?? {};
  const specs = inputs.policies
    .filter(({ metadata }) => metadata?.namespace === namespace)
    .flatMap(({ spec }) => spec ?? [])
    .filter((spec) => matches(spec.podSelector ?? {}, labels) && directionsOf(spec).has(direction));
  if (specs.length === 0) return undefined;
  return specs
    .flatMap((spec) => rulesOf(spec, direction))
    .flatMap(({ peers = [], ports = [] }) => {
      // An empty list of peers or ports matches all of them.
      const addresses =
        peers.length === 0 ? [{}] : peers.flatMap((peer) => findAddresses(inputs, namespace, peer)).map(asAddress);
      const targets = ports.length === 0 ? [{}] : ports.flatMap(readPort);
      return addresses.flatMap((address) => targets.map((target) => ({ ...address, ...target })));
    });
}

const asAddress = (address: string) => ({ address });

interface Rule {
  peers: V1NetworkPolicyPeer[] | undefined;
  ports: V1NetworkPolicyPort[] | undefined;
}

/** The client library renames `from` to `_from` in objects of a list, but not in objects of a watch. */
type IngressRule = V1NetworkPolicyIngressRule & { from?: V1NetworkPolicyPeer[] };

function rulesOf({ ingress = [], egress = [] }: V1NetworkPolicySpec, direction: Direction): Rule[] {
  if (direction === 'egress') return egress.map(({ to, ports }) => ({ peers: to, ports }));
  return ingress.map(({ _from, from, ports }: IngressRule) => ({ peers: _from ?? from, ports }));
}

function directionsOf({ policyTypes, egress }: V1NetworkPolicySpec): Set<string> {
  const types = policyTypes ?? (egress === undefined ? ['Ingress'] : ['Ingress', 'Egress']);
  return new Set(types.map((type) => type.toLowerCase()));
}

function findAddresses(inputs: PolicyInputs, policyNamespace: string, peer: V1NetworkPolicyPeer): string[] {
  const { ipBlock, podSelector = {}, namespaceSelector } = peer;
  if (ipBlock !== undefined) return (ipBlock.except ?? []).length > 0 ? [] : [ipBlock.cidr];
  const namespaces = inputs.namespaces
    .map(({ metadata }) => metadata)
    .filter((metadata) =>
      namespaceSelector === undefined
        ? metadata?.name === policyNamespace
        : matches(namespaceSelector, metadata?.labels),
    )
    .map((metadata) => metadata?.name);
  return inputs.pods
    .filter(({ metadata }) => namespaces.includes(metadata?.namespace) && matches(podSelector, metadata?.labels))
    .flatMap((pod) => addressOf(pod) ?? []);
}

function readPort({ protocol = 'TCP', port, endPort }: V1NetworkPolicyPort): Omit<Allowance, 'address'>[] {
  if (typeof port === 'string') return [];
  const ports = port === undefined ? {} : { ports: endPort === undefined ? `${port}` : `${port}:${endPort}` };
  return [{ protocol: protocol.toLowerCase(), ...ports }];
}

/** Returns whether a label selector matches an object with these labels. */
export function matches({ matchLabels = {}, matchExpressions = [] }: V1LabelSelector, labels: Labels = {}): boolean {
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
