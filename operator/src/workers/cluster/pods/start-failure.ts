import type { V1Deployment } from '@kubernetes/client-node';
import type { KubeObject } from '@svc-asr/kubernetes';
import { findLastLogLine } from '../../last-log-line.ts';
import type { StartFailure } from '../../runtime.ts';
import { CRASHED } from './pod.ts';
import type { ContainerProblem, WorkerPod } from './pod.ts';

/** A pod and its history, as far as this operator has observed both. */
export interface ObservedPod extends WorkerPod {
  /** Time for which the pod has been unschedulable. */
  unschedulableMs: number;
  /** Time for which the volumes of the pod have been missing. */
  unmountedMs: number;
  /** Number of crashes of the worker process since the pod was last ready. */
  crashes: number;
}

/** Number of crashes in a row after which a container counts as unable to start. */
const CRASH_LIMIT = 2;
const IMAGE_PULL_REASONS: readonly string[] = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
];

/**
 * Returns why the pods of a revision that are not ready cannot start. Undefined while at least one of them is starting
 * normally. Conditions that may end by themselves, such as waiting for a new node, count only after `provisionMs`. If
 * other pods are ready and containers fail on one node only, that node is the cause, and the result is undefined. If no
 * pod is starting, returns why the Deployment cannot create pods.
 */
export function findStartFailure(
  pods: readonly ObservedPod[],
  deployment: KubeObject | undefined,
  provisionMs: number,
): StartFailure | undefined {
  const starting = pods.filter(
    ({ ready, selectedForRemoval, terminating, ended }) => !ready && !selectedForRemoval && !terminating && !ended,
  );
  const failures = starting.map((pod) => describePod(pod, provisionMs));
  const first = failures.find((failure) => failure !== undefined);
  if (pods.some(({ ready }) => ready) && countNodes(starting.filter(hasContainerProblem)) === 1) return undefined;
  if (first !== undefined && failures.every((failure) => failure !== undefined)) return first;
  return starting.length === 0 ? findReplicaFailure(deployment) : undefined;
}

/**
 * Returns why a pod fails to start although another pod of its revision and tier is ready. A replacement on another
 * node may then help. Undefined if the pod starts normally, or if the revision itself may be the cause.
 */
export function findSickness(pod: ObservedPod, pods: readonly ObservedPod[]): string | undefined {
  if (pod.ready || pod.containerProblem === undefined) return undefined;
  const isWorking = pods.some(({ ready, revision, tier }) => ready && revision === pod.revision && tier === pod.tier);
  return isWorking ? describeContainer(pod, pod.containerProblem)?.message : undefined;
}

function hasContainerProblem({ containerProblem }: ObservedPod): boolean {
  return containerProblem !== undefined;
}

function countNodes(pods: readonly ObservedPod[]): number {
  return new Set(pods.map(({ node }) => node)).size;
}

function describePod(pod: ObservedPod, provisionMs: number): StartFailure | undefined {
  if (pod.containerProblem !== undefined) return describeContainer(pod, pod.containerProblem);
  return Math.max(pod.unschedulableMs, pod.unmountedMs) >= provisionMs ? describePending(pod) : undefined;
}

/** Returns what a pod waits for before its containers can start. Undefined if it does not wait. */
export function describePending({ name, unschedulable, scheduled, mounted }: WorkerPod): StartFailure | undefined {
  if (unschedulable !== undefined) {
    return { reason: 'Unschedulable', message: `pod ${name} cannot be scheduled to a node: ${unschedulable}` };
  }
  if (!mounted && scheduled) {
    const message =
      `the volumes of pod ${name} cannot be mounted. A Secret or PersistentVolumeClaim may be missing; ` +
      `"kubectl describe pod ${name}" names it`;
    return { reason: 'FailedMount', message };
  }
  return undefined;
}

function describeContainer(
  { name, crashes }: ObservedPod,
  { container, reason, message, restarts }: ContainerProblem,
): StartFailure | undefined {
  if (IMAGE_PULL_REASONS.includes(reason)) {
    return { reason: 'ImagePullFailed', message: `the image of pod ${name} cannot be pulled: ${message}` };
  }
  if (reason !== CRASHED) {
    return { reason, message: `pod ${name} cannot start its container ${container}: ${message}` };
  }
  const times = container === 'worker' ? crashes : restarts;
  if (times < CRASH_LIMIT) return undefined;
  const [how = '', ...log] = message.split(': ');
  const lastLine = findLastLogLine(log.join(': '));
  const ended = lastLine === '' ? how : `${how}: ${lastLine}`;
  return container === 'worker'
    ? { reason: 'CrashLoop', message: `workers fail to start, ${times} times in a row; the last ${ended}` }
    : { reason: 'ArtifactFailed', message: `the artifact cannot be fetched; the last attempt ${ended}` };
}

/** Returns why the Deployment cannot create pods, for example because of a quota or an admission policy. */
function findReplicaFailure(deployment: KubeObject | undefined): StartFailure | undefined {
  const { status } = (deployment ?? {}) as Pick<V1Deployment, 'status'>;
  const failure = status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  if (failure?.status !== 'True') return undefined;
  return { reason: 'FailedCreate', message: `pods cannot be created: ${failure.message ?? failure.reason ?? ''}` };
}
