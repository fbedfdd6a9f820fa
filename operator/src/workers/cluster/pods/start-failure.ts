import type { V1Deployment } from '@kubernetes/client-node';
import type { KubeObject } from '@svc-asr/kubernetes';
import { findLastLogLine } from '../../last-log-line.ts';
import type { StartFailure } from '../../runtime.ts';
import { CRASHED } from './pod.ts';
import type { ContainerProblem, WorkerPod } from './pod.ts';

/** A pod and its history, as far as this operator saw it. */
export interface ObservedPod extends WorkerPod {
  /** For how long it could not be scheduled. */
  unschedulableMs: number;
  /** For how long its volumes have not been there. */
  unmountedMs: number;
  /** How often its process fell since it last was well. */
  crashes: number;
}

/** A process that fell this often without ever taking sessions does not start. */
const CANNOT_START = 2;
const PULLING: readonly string[] = ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'];

/**
 * Why the pods of a revision do not become workers, in words for people; undefined while one of them is on its way.
 * What passes by itself, such as the wait for a new node, counts only after `patienceMs`.
 */
export function findStartFailure(
  pods: readonly ObservedPod[],
  deployment: KubeObject | undefined,
  patienceMs: number,
): StartFailure | undefined {
  const starting = pods.filter(
    ({ ready, selectedForRemoval, terminating, ended }) => !ready && !selectedForRemoval && !terminating && !ended,
  );
  const found = starting.map((pod) => describe(pod, patienceMs));
  const first = found.find((startFailure) => startFailure !== undefined);
  if (first !== undefined && found.every((startFailure) => startFailure !== undefined)) return first;
  return starting.length === 0 ? findReplicaFailure(deployment) : undefined;
}

function describe(pod: ObservedPod, patienceMs: number): StartFailure | undefined {
  const { name, unschedulable, unschedulableMs, mounted, unmountedMs } = pod;
  if (pod.containerProblem !== undefined) return describeContainer(pod, pod.containerProblem);
  if (unschedulable !== undefined && unschedulableMs >= patienceMs) {
    return { reason: 'Unschedulable', message: `no node can take a worker: ${unschedulable}` };
  }
  if (!mounted && unmountedMs >= patienceMs) {
    const message = `the volumes of pod ${name} are not there: its Secrets or claims may be missing, as "kubectl describe pod ${name}" tells`;
    return { reason: 'FailedMount', message };
  }
  return undefined;
}

function describeContainer(
  { name, crashes }: ObservedPod,
  { container, reason, message, restarts }: ContainerProblem,
): StartFailure | undefined {
  if (PULLING.includes(reason)) {
    return { reason: 'ImagePullFailed', message: `the image of pod ${name} cannot be pulled: ${message}` };
  }
  if (reason !== CRASHED) {
    return { reason, message: `pod ${name} cannot start its container ${container}: ${message}` };
  }
  const times = container === 'worker' ? crashes : restarts;
  if (times < CANNOT_START) return undefined;
  const [how = '', ...said] = message.split(': ');
  const words = findLastLogLine(said.join(': '));
  const ended = words === '' ? how : `${how}: ${words}`;
  return container === 'worker'
    ? { reason: 'CrashLoop', message: `workers fail to start, ${times} times in a row; the last ${ended}` }
    : { reason: 'ArtifactFailed', message: `the artifact cannot be fetched; the last try ${ended}` };
}

/** What keeps pods from being made at all: a quota, a policy. */
function findReplicaFailure(deployment: KubeObject | undefined): StartFailure | undefined {
  const { status } = (deployment ?? {}) as Pick<V1Deployment, 'status'>;
  const failure = status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  if (failure?.status !== 'True') return undefined;
  return { reason: 'FailedCreate', message: `pods cannot be made: ${failure.message ?? failure.reason ?? ''}` };
}
