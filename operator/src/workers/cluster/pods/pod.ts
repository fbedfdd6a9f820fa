import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import type { KubeObject } from '@svc-asr/kubernetes';
import { ANNOTATIONS, LABELS, PHASES } from '../names.ts';

/** What is told of a container that does not do its work. */
export interface ContainerProblem {
  container: string;
  /** As Kubernetes names it: `ImagePullBackOff`, `CrashLoopBackOff`, `Error`, `OOMKilled`, …. */
  reason: string;
  message: string;
  restarts: number;
}

/** A pod of a worker, as far as decisions need it. */
export interface WorkerPod {
  name: string;
  uid: string;
  model: string;
  revision: string;
  /** Which of the Deployment's ReplicaSets it is of: another one means that somebody restarts the Deployment. */
  set: string;
  /** It was deleted and has not ended yet. */
  terminating: boolean;
  /** How long it has to end after it was deleted. */
  graceMs: number;
  /** It has ended and does not come back. */
  ended: boolean;
  /** The operator chose it to go. */
  selectedForRemoval: boolean;
  /** Its label says so, too: those that an operator before this one chose may lack it. */
  labelled: boolean;
  scheduled: boolean;
  /** Not all of its containers have been started once. */
  pending: boolean;
  /** The worker's process runs. */
  running: boolean;
  ready: boolean;
  /** How often the worker's process was started anew. */
  restarts: number;
  /** Why it has no node, in the scheduler's words. */
  unschedulable: string | undefined;
  /** Its volumes are there. */
  mounted: boolean;
  containerProblem: ContainerProblem | undefined;
}

/** Container states that pass by themselves. */
const USUAL_WAITS: readonly string[] = ['ContainerCreating', 'PodInitializing'];

/** What every process that fell is said to be in, be it waiting for its next start or not. */
export const CRASHED = 'CrashLoopBackOff';

/** Reads a pod; undefined: it is not a worker's. */
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
    set: labels['pod-template-hash'] ?? '',
    terminating: deletionTimestamp !== undefined,
    graceMs: deletionGracePeriodSeconds * 1000,
    ended: status?.phase === 'Succeeded' || status?.phase === 'Failed',
    selectedForRemoval: annotations[ANNOTATIONS.stopping] !== undefined,
    labelled: labels[LABELS.phase] === PHASES.leaving,
    scheduled: (spec?.nodeName ?? '') !== '',
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
  if (waiting?.reason !== undefined && !USUAL_WAITS.includes(waiting.reason) && waiting.reason !== CRASHED) {
    return { ...found, reason: waiting.reason, message: waiting.message ?? '' };
  }
  // One that fell is in trouble until it is ready again, also while it tries.
  const ended = state?.terminated ?? (ready ? undefined : lastState?.terminated);
  if (ended === undefined || ended.exitCode === 0) return undefined;
  return { ...found, reason: CRASHED, message: describeEnd(ended) };
}

function describeEnd(ended: { reason?: string; exitCode: number; message?: string } | undefined): string {
  if (ended === undefined) return '';
  const how = ended.reason === 'OOMKilled' ? 'ran out of memory' : `ended with status ${ended.exitCode}`;
  const words = ended.message?.trim() ?? '';
  return words === '' ? how : `${how}: ${words}`;
}

/** What `readPod` reads of a pod, and no more: there may be thousands of them. */
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
