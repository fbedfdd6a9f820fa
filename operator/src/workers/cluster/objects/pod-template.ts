import type { V1PodTemplateSpec, V1Volume } from '@kubernetes/client-node';
import { digestOf } from '../../digest.ts';
import type { WorkerTemplate } from '../../runtime.ts';
import { buildArtifact } from './artifact.ts';
import { buildConfigMap } from './config-map.ts';
import { buildContainer, secretMode } from './container.ts';
import type { Installation } from '../installation.ts';
import { ANNOTATIONS, LABELS, labelsOf, PHASES, sharedName } from '../names.ts';

/** Beyond the time that streams have to go elsewhere: to close ports, let go of the model and end. */
const STOP_MARGIN_SECONDS = 30;
/** Higher than that of a pod that was chosen to go, so that Kubernetes takes that one. */
const USUAL_COST = 1000;

/** The pods of a template's workers. They satisfy Pod Security "restricted". */
export function buildPodTemplate(template: WorkerTemplate, installation: Installation) {
  const { model, revision, worker, drainSeconds } = template;
  const { volumes, mounts, initContainers } = buildArtifact(template, installation);
  const { userId, imagePullSecrets } = installation;
  const ours = { ...labelsOf(model, revision), [LABELS.phase]: PHASES.serving };
  return {
    metadata: {
      labels: { ...worker.podLabels, ...ours },
      annotations: { ...worker.podAnnotations, [ANNOTATIONS.deletionCost]: String(USUAL_COST) },
    },
    spec: {
      serviceAccountName: sharedName(model),
      // A worker asks nothing of the Kubernetes API.
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      // A worker that is told to end leaves the ledger by itself, from where gateways know it: nobody has to be waited for.
      terminationGracePeriodSeconds: drainSeconds + STOP_MARGIN_SECONDS,
      securityContext: {
        runAsNonRoot: true,
        ...(userId !== 0 && { runAsUser: userId, runAsGroup: userId, fsGroup: userId }),
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
      ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
      ...(worker.nodeSelector && { nodeSelector: worker.nodeSelector }),
      ...(worker.tolerations && { tolerations: worker.tolerations }),
      ...(worker.affinity && { affinity: worker.affinity }),
      ...(worker.runtimeClassName !== undefined && { runtimeClassName: worker.runtimeClassName }),
      ...(worker.priorityClassName !== undefined && { priorityClassName: worker.priorityClassName }),
      topologySpreadConstraints: ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
        maxSkew: 1,
        topologyKey,
        // Workers beside each other are better than none.
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { [LABELS.model]: model, [LABELS.revision]: revision } },
      })),
      ...(initContainers.length > 0 && { initContainers }),
      containers: [buildContainer(template, installation, mounts)],
      volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Gi' } }, ...secretVolumes(installation), ...volumes],
    },
  } satisfies V1PodTemplateSpec;
}

/** Names what the pods of a template are made from: whatever would change them is another revision. */
export function revisionOf(template: WorkerTemplate, installation: Installation): string {
  const unnamed = { ...template, revision: '' };
  return digestOf([buildPodTemplate(unnamed, installation), buildConfigMap(unnamed, installation).data]);
}

function secretVolumes(installation: Installation): V1Volume[] {
  const { redis, ticketsSecret, tlsSecret, caSecret } = installation;
  const secrets = { redis: redis.secret, tickets: ticketsSecret, tls: tlsSecret, ca: caSecret };
  return Object.entries(secrets)
    .filter(([, secretName]) => secretName !== '')
    .map(([name, secretName]) => ({ name, secret: { secretName, defaultMode: secretMode(installation) } }));
}
