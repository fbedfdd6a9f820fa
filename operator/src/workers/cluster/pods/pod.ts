import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import type { KubeObject } from '@svc-asr/kubernetes';
import { ANNOTATIONS, LABELS, PHASES } from '../names.ts';

/** A container that cannot start or that crashed. */
export interface ContainerProblem {
  container: string;
  /** Reason that Kubernetes reports, such as `ImagePullBackOff`. Any crash has the reason `CrashLoopBackOff`. */
  reason: string;
  message: string;
  restarts: number;
}

/** A worker pod, with the fields that decisions need. */
export interface WorkerPod {
  name: string;
  uid: string;
  model: string;
  revision: string;
  /** Tier of the pod. Undefined if its revision has none. */
  tier?: string;
  /**
   * Hash of the ReplicaSet of the pod. If pods of one Deployment have different hashes, the Deployment is being
   * restarted.
   */
  set: string;
  /** True if the pod was deleted and has not ended yet. */
  terminating: boolean;
  /** Grace period after the deletion. */
  graceMs: number;
  /** True if all containers have ended and will not be restarted. */
  ended: boolean;
  /** True if the operator selected the pod for removal. */
  selectedForRemoval: boolean;
  /**
   * True if the phase label shows the selection for removal, in addition to the annotation. An early version of the
   * operator set only the annotation.
   */
  labelled: boolean;
  /** True if the pod has the label that keeps further pods off its node. */
  sick: boolean;
  scheduled: boolean;
  /** Node of the pod. Empty if the pod is not scheduled. */
  node: string;
  /** True until all containers were started once. */
  pending: boolean;
  /** True while the worker process runs. */
  running: boolean;
  ready: boolean;
  /** Number of restarts of the worker process. */
  restarts: number;
  /** Message of the scheduler if it finds no node for the pod. Undefined otherwise. */
  unschedulable: string | undefined;
  /** False while volumes of the pod are not mounted. */
  mounted: boolean;
  containerProblem: ContainerProblem | undefined;
}

/** Reasons for which a container waits during a normal start. */
const NORMAL_WAITS: readonly string[] = ['ContainerCreating', 'PodInitializing'];

/** Reason that is reported for every crashed container, whether it waits for its next start or runs again. */
export const CRASHED = 'CrashLoopBackOff';

/** Reads a worker pod. Returns undefined if the pod is not the pod of a worker. */
export function readPod(object: KubeObject): WorkerPod | undefined {
  const { name, uid = '', labels = {}, annotations = {}, deletionTimestamp } = object.metadata;
  const { deletionGracePeriodSeconds = 0 } = object.metadata as { deletionGracePeriodSeconds?: number };
  const [model, revision] = [labels[LABELS.model], labels[LABELS.revision]];
  if (model === undefined || revision === undefined) return undefined;
  const { spec, status } = object as unknown as Pick<V1Pod, 'spec' | 'status'>;
  const condition = (type: string) => status?.conditions?.find((one) => one.type === type);
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const worker = status?.containerStatuses?.find((one) => one.name === 'worker');
  const scheduled = condition('PodScheduled');
  return {
    name,
    uid,
    model,
    revision,
    ...(labels[LABELS.tier] !== undefined && { tier: labels[LABELS.tier] }),
    set: labels['pod-template-hash'] ?? '',
    terminating: deletionTimestamp !== undefined,
    graceMs: deletionGracePeriodSeconds * 1000,
    ended: status?.phase === 'Succeeded' || status?.phase === 'Failed',
    selectedForRemoval: annotations[ANNOTATIONS.stopping] !== undefined,
    labelled: labels[LABELS.phase] === PHASES.leaving,
    sick: labels[LABELS.sick] !== undefined,
    scheduled: (spec?.nodeName ?? '') !== '',
    node: spec?.nodeName ?? '',
    pending: (status?.phase ?? 'Pending') === 'Pending',
    running: worker?.state?.running !== undefined,
    ready: condition('Ready')?.status === 'True',
    restarts: worker?.restartCount ?? 0,
    unschedulable:
      scheduled?.status === 'False' && scheduled.reason === 'Unschedulable' ? (scheduled.message ?? '') : undefined,
    mounted: condition('PodReadyToStartContainers')?.status !== 'False' || containers.some(hasStarted),
    containerProblem: containers.map(findContainerProblem).find((found) => found !== undefined),
  };
}

function hasStarted({ state, restartCount }: V1ContainerStatus): boolean {
  return restartCount > 0 || state?.running !== undefined || state?.terminated !== undefined;
}

function findContainerProblem(status: V1ContainerStatus): ContainerProblem | undefined {
  const { name, ready, state, lastState, restartCount } = status;
  const waiting = state?.waiting;
  const found = { container: name, restarts: restartCount };
  if (waiting?.reason !== undefined && !NORMAL_WAITS.includes(waiting.reason) && waiting.reason !== CRASHED) {
    return { ...found, reason: waiting.reason, message: waiting.message ?? '' };
  }
  // A crash counts until the container is ready again, even while it is restarting.
  const ended = state?.terminated ?? (ready ? undefined : lastState?.terminated);
  if (ended === undefined || ended.exitCode === 0) return undefined;
  return { ...found, reason: CRASHED, message: describeEnd(ended) };
}

function describeEnd(ended: { reason?: string; exitCode: number; message?: string } | undefined): string {
  if (ended === undefined) return '';
  const how = ended.reason === 'OOMKilled' ? 'ran out of memory' : `ended with status ${ended.exitCode}`;
  const log = ended.message?.trim() ?? '';
  return log === '' ? how : `${how}: ${log}`;
}

/** Returns a pod with only the fields that `readPod` reads. This saves memory if there are thousands of pods. */
export function trimPod({ apiVersion, kind, metadata, ...rest }: KubeObject): KubeObject {
  const { name, uid, resourceVersion, labels, annotations, deletionTimestamp } = metadata;
  const { deletionGracePeriodSeconds } = metadata as { deletionGracePeriodSeconds?: number };
  const { spec, status } = rest as unknown as Pick<V1Pod, 'spec' | 'status'>;
  const { phase, conditions, initContainerStatuses, containerStatuses } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: JSON.parse(
      JSON.stringify({
        name,
        uid,
        resourceVersion,
        labels,
        annotations,
        deletionTimestamp,
        deletionGracePeriodSeconds,
      }),
    ) as KubeObject['metadata'],
    spec: { nodeName: spec?.nodeName },
    status: { phase, conditions, initContainerStatuses, containerStatuses },
  };
}
