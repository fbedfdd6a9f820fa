import type { V1PodResourceClaim, V1PodTemplateSpec, V1Volume } from '@kubernetes/client-node';
import { digestOf, splitTiers } from '../../template.ts';
import type { WorkerTemplate } from '../../template.ts';
import { buildAffinity } from './affinity.ts';
import { buildArtifact } from './artifact.ts';
import { buildConfigMap } from './config-map.ts';
import { buildContainer, secretMode } from './container.ts';
import { buildGuest } from './guest.ts';
import type { Installation } from '../installation.ts';
import { ANNOTATIONS, LABELS, labelsOf, PHASES, selectorOf, sharedName } from '../names.ts';

/** Time for the shutdown of the process after its streams have moved or finished. */
const STOP_MARGIN_SECONDS = 30;
/**
 * Deletion cost of a pod that was not selected for removal. It is higher than that of a selected pod, which Kubernetes
 * therefore removes first.
 */
const DEFAULT_DELETION_COST = 1000;

/** Builds the pod template of a worker template. Its pods satisfy Pod Security "restricted". */
export function buildPodTemplate(template: WorkerTemplate, installation: Installation) {
  const { model, revision, tier, worker, drainSeconds } = template;
  const guests = (template.guests ?? []).map((guest, index) => buildGuest(template, guest, index, installation));
  const parts = [buildArtifact(template, installation), ...guests];
  const initContainers = parts.flatMap((part) => part.initContainers);
  const mounts = parts.flatMap((part) => part.mounts);
  const { userId, imagePullSecrets } = installation;
  const ownLabels = { ...labelsOf(model, revision, tier), [LABELS.phase]: PHASES.serving };
  return {
    metadata: {
      labels: { ...worker.podLabels, ...ownLabels },
      annotations: { ...worker.podAnnotations, [ANNOTATIONS.deletionCost]: String(DEFAULT_DELETION_COST) },
    },
    spec: {
      serviceAccountName: sharedName(model),
      // Workers do not use the Kubernetes API.
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      // No preStop delay is needed, because gateways find workers in the ledger, and a worker that stops removes its
      // record from the ledger.
      terminationGracePeriodSeconds: drainSeconds + STOP_MARGIN_SECONDS,
      // With a shared PID namespace, the worker is not the first process of its container. For a first process, the
      // kernel would discard a SIGTERM until Node has installed a handler. A pod that is deleted before that would run
      // for its whole grace period.
      shareProcessNamespace: true,
      securityContext: {
        runAsNonRoot: true,
        ...(userId !== 0 && { runAsUser: userId, runAsGroup: userId, fsGroup: userId }),
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
      ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
      ...(worker.nodeSelector && { nodeSelector: worker.nodeSelector }),
      ...(worker.tolerations && { tolerations: worker.tolerations }),
      affinity: buildAffinity(template),
      ...(worker.runtimeClassName !== undefined && { runtimeClassName: worker.runtimeClassName }),
      ...(worker.priorityClassName !== undefined && { priorityClassName: worker.priorityClassName }),
      ...(worker.resourceClaims && { resourceClaims: buildClaims(worker.resourceClaims) }),
      topologySpreadConstraints: ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
        maxSkew: 1,
        topologyKey,
        // Running several workers on the same node is better than not running them.
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: selectorOf(template) },
      })),
      ...(initContainers.length > 0 && { initContainers }),
      containers: [buildContainer(template, installation, mounts)],
      volumes: [
        { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } },
        ...secretVolumes(model, installation),
        ...parts.flatMap((part) => part.volumes),
      ],
    },
  } satisfies V1PodTemplateSpec;
}

/** Returns the revision of a template: a digest of everything that determines its pods. */
export function revisionOf(template: WorkerTemplate, installation: Installation): string {
  const digests = splitTiers({ ...template, revision: '' }).map((unnamed) =>
    digestOf([buildPodTemplate(unnamed, installation), buildConfigMap(unnamed, installation).data]),
  );
  return template.tiers === undefined ? (digests[0] ?? '') : digestOf(digests);
}

function buildClaims(claims: NonNullable<WorkerTemplate['worker']['resourceClaims']>): V1PodResourceClaim[] {
  return claims.map(({ request: _, ...claim }) => claim);
}

function secretVolumes(model: string, installation: Installation): V1Volume[] {
  const { redis, ticketPublicKeysSecret, tls, caSecret } = installation;
  const defaultMode = secretMode(installation);
  const volume = (name: string, secretName: string, keys?: readonly string[]) => ({
    name,
    secret: { secretName, ...(keys && { items: keys.map((key) => ({ key, path: key })) }), defaultMode },
  });
  const ownVolume = (name: string, keys: readonly string[]) => volume(name, sharedName(model), keys);
  const isCopied = installation.platformNamespace !== undefined;
  return [
    isCopied || redis.secret === undefined ? ownVolume('redis', ['url']) : volume('redis', redis.secret),
    isCopied ? ownVolume('tickets', ['keys.pem']) : volume('tickets', ticketPublicKeysSecret),
    ...(tls ? [ownVolume('tls', ['tls.crt', 'tls.key'])] : []),
    ...(caSecret === '' ? [] : [isCopied ? ownVolume('ca', ['ca.crt']) : volume('ca', caSecret)]),
  ];
}
