import type { WorkerTemplate } from '../../template.ts';
import { buildMetadata } from './metadata.ts';
import type { Installation } from '../installation.ts';
import { PORTS } from '../installation.ts';
import { LABELS, revisionName } from '../names.ts';

const DNS_PORT = 53;
const WEB_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * Builds the network policy of a revision's workers. It restricts egress by port only. The operator does not know the
 * addresses of Redis, DNS, the OTLP endpoint and the artifact server, which may be outside the cluster.
 */
export function buildNetworkPolicy(template: WorkerTemplate, installation: Installation) {
  const { model, revision, artifact } = template;
  const { gatewayLabels, redis, egressPorts, otlpEndpoint } = installation;
  const servers = ['url' in artifact ? artifact.url : '', otlpEndpoint];
  const tcp = new Set([...redis.ports, ...egressPorts, ...servers.flatMap(webPorts)]);
  const egress = [
    {
      ports: [
        { protocol: 'UDP', port: DNS_PORT },
        { protocol: 'TCP', port: DNS_PORT },
      ],
    },
    { ports: [...tcp].sort((a, b) => a - b).map((port) => ({ protocol: 'TCP', port })) },
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
          from: [{ podSelector: { matchLabels: { ...gatewayLabels } } }],
          ports: [{ protocol: 'TCP', port: PORTS.stream }],
        },
        // Any pod of the cluster may collect metrics. Probes of the kubelet are always allowed.
        { from: [{ namespaceSelector: {} }], ports: [{ protocol: 'TCP', port: PORTS.admin }] },
      ],
      egress,
    },
  };
}

function webPorts(address: string): number[] {
  if (!URL.canParse(address)) return [];
  const { port, protocol } = new URL(address);
  const named = port === '' ? WEB_PORTS[protocol] : Number(port);
  return named === undefined ? [] : [named];
}
