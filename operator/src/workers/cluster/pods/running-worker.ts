import type { NodeNotice, RunningWorker } from '../../runtime.ts';
import type { ClusterView } from '../view.ts';
import type { WorkerPod } from './pod.ts';
import { isBeingRestarted } from './restart.ts';
import { describePending, findSickness } from './start-failure.ts';

/** Lists the pods of a model as workers. */
export function listWorkers(
  model: string,
  { pods, removals }: Pick<ClusterView, 'pods' | 'removals'>,
  findNotice: (pod: WorkerPod) => NodeNotice | undefined,
): RunningWorker[] {
  const found = pods.of(model);
  return found.map((pod) => ({
    id: pod.name,
    model,
    revision: pod.revision,
    tier: pod.tier,
    node: pod.node,
    ageMs: pods.ageMs(pod.name),
    stopping: pod.terminating || pod.selectedForRemoval || removals.isSelected(pod),
    pinned: isBeingRestarted(pod, found),
    sickness: findSickness(pod, found),
    notice: findNotice(pod),
    pending: pod.containerProblem === undefined ? describePending(pod) : undefined,
  }));
}
