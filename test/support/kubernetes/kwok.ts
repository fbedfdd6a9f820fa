import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from './server.ts';
import type { Place, Server } from './server.ts';

/** Status that kwok sets on a pod that is bound to a node. */
const STATUS = `
{{ $now := Now | Quote }}
phase: Running
startTime: {{ $now }}
conditions:
{{ range $type := list "Initialized" "ContainersReady" "Ready" }}
- { type: {{ $type }}, status: "True", lastTransitionTime: {{ $now }} }
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: true
  started: true
  restartCount: 0
  state: { running: { startedAt: {{ $now }} } }
{{ end }}
{{ with PodIPsWith .spec.nodeName false .metadata.uid .metadata.name .metadata.namespace }}
podIP: {{ index . 0 | Quote }}
podIPs: [{ ip: {{ index . 0 | Quote }} }]
{{ end }}
`;

const DELETED = '.metadata.deletionTimestamp';
const READY = '.status.conditions.[] | select( .type == "Ready" ) | .status';
const STAGES = [
  // kwok manages only kinds of objects that have a stage. Nodes need this stage, although they are already ready when
  // they are created.
  buildStage('Node', 'node-ready', [{ key: READY, operator: 'NotIn', values: ['True'] }], {
    statusTemplate: 'phase: Running',
  }),
  buildStage(
    'Pod',
    'pod-ready',
    [
      { key: DELETED, operator: 'DoesNotExist' },
      { key: '.status.phase', operator: 'In', values: ['Pending'] },
    ],
    { statusTemplate: STATUS },
  ),
  buildStage('Pod', 'pod-delete', [{ key: DELETED, operator: 'Exists' }], { delete: true }),
];

/** Starts kwok, which immediately reports pods on every node as Running and Ready, and removes deleted pods. */
export async function startKwok(command: string, kubeconfig: string, place: Place): Promise<Server> {
  const config = join(place.folder, 'kwok.yaml');
  // YAML documents, each written as JSON.
  writeFileSync(config, STAGES.map((stage) => JSON.stringify(stage)).join('\n---\n'));
  return startServer(
    {
      name: 'kwok',
      command,
      args: [
        `--config=${config}`,
        `--kubeconfig=${kubeconfig}`,
        '--manage-all-nodes=true',
        '--cidr=10.128.0.0/9',
        '--v=WARN',
      ],
      // kwok has no visible effect before the first pod, so there is nothing to check.
      isReady: () => Promise.resolve(true),
    },
    place,
  );
}

function buildStage(kind: string, name: string, matchExpressions: readonly object[], next: object): object {
  const resourceRef = { apiGroup: 'v1', kind };
  const spec = { resourceRef, selector: { matchExpressions }, next };
  return { apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'Stage', metadata: { name }, spec };
}
