import type { WorkerTemplate } from '../../template.ts';
import { guestPorts } from './guest.ts';
import { buildMetadata } from './metadata.ts';
import type { Installation } from '../installation.ts';
import { PORTS, STREAM_PORTS } from '../installation.ts';
import { LABELS, revisionName } from '../names.ts';

/** A policy applies to the port of the pods behind the DNS Service, which is 5353 on OpenShift. */
const DNS_PORTS = [53, 5353];
const WEB_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * Builds the network policy of a revision's workers. Egress to a bundled Redis is restricted to its pods. All other
 * egress is restricted only by port. The operator does not know the addresses of DNS, an external Redis, the OTLP
 * endpoint and the artifact server, which may be outside the cluster. Only workers that download their model may
 * connect to the port of the artifact server.
 */
export function buildNetworkPolicy(template: WorkerTemplate, installation: Installation) {
  const { model, revision, artifact, guests = [] } = template;
  const { gatewayLabels, redis, egressPorts, otlpEndpoint } = installation;
  const artifacts = [artifact, ...guests.map((guest) => guest.artifact)];
  const servers = [...artifacts.map((source) => ('url' in source ? source.url : '')), otlpEndpoint];
  const bundled = Object.keys(redis.labels).length > 0;
  const anywhere = [...(bundled ? [] : redis.ports), ...egressPorts, ...servers.flatMap(webPorts)];
  const egress = [
    { ports: DNS_PORTS.flatMap((port) => ['UDP', 'TCP'].map((protocol) => ({ protocol, port }))) },
    ...(bundled ? [{ to: [selectPeer(redis.labels, installation)], ports: tcpPorts(redis.ports) }] : []),
    // The rule is left out if there are no ports, because a rule without ports would allow every port.
    ...(anywhere.length > 0 ? [{ ports: tcpPorts(anywhere) }] : []),
  ];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: buildMetadata(template, revisionName(model, revision), revision),
    spec: {
      podSelector: { matchLabels: { [LABELS.model]: model, [LABELS.revision]: revision } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          from: [selectPeer(gatewayLabels, installation)],
          ports: tcpPorts([...STREAM_PORTS, ...guests.flatMap((_, index) => guestPorts(index))]),
        },
        // Any pod of the cluster may collect metrics. Probes of the kubelet are always allowed.
        { from: [{ namespaceSelector: {} }], ports: [{ protocol: 'TCP', port: PORTS.admin }] },
      ],
      egress,
    },
  };
}

/** Selects pods of the installation, which may be in another namespace than the workers. */
function selectPeer(labels: Readonly<Record<string, string>>, { platformNamespace }: Installation) {
  const podSelector = { matchLabels: { ...labels } };
  if (platformNamespace === undefined) return { podSelector };
  // Kubernetes sets this label on every namespace, and no client can change it.
  return { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': platformNamespace } }, podSelector };
}

function tcpPorts(ports: readonly number[]) {
  return [...new Set(ports)].sort((a, b) => a - b).map((port) => ({ protocol: 'TCP', port }));
}

function webPorts(address: string): number[] {
  if (!URL.canParse(address)) return [];
  const { port, protocol } = new URL(address);
  const named = port === '' ? WEB_PORTS[protocol] : Number(port);
  return named === undefined ? [] : [named];
}
