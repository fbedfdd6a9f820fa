import type { AsrModel, RolloutState } from '@svc-asr/core';
import type { Revision, RevisionTier, WorkerTemplate } from './template.ts';

/** Desired state of the workers of one model, as its pool decided it. */
export interface DesiredWorkers {
  /** Template of the model as it is now. Undefined if the model was deleted. */
  template: WorkerTemplate | undefined;
  /**
   * Namespace of the model, if it is known. It is needed only if the model was deleted, because otherwise the template
   * contains it.
   */
  namespace?: string | undefined;
  /**
   * Number of workers by revision, not counting workers that stop. The runtime starts missing workers and never stops a
   * worker because of a lower count. If a revision is not listed here, the runtime removes the revision when its last
   * worker has ended.
   */
  counts: ReadonlyMap<string, number>;
  /**
   * The numbers of `counts` by revision and tier. Workers without a tier are counted under an empty name. Undefined if
   * there are no tiers.
   */
  tierCounts?: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined;
  /** Workers that have to stop. They hand their streams over to other workers. */
  stop: readonly WorkerStop[];
  /**
   * Workers that fail although other workers of their revision work. Further workers must not run on the nodes of these
   * workers.
   */
  sick?: readonly string[] | undefined;
  /** Change of `spec.scaling.replicas` of the ASRModel. Undefined if no change is needed. */
  scale: ScaleUpdate | undefined;
  /**
   * True if the workers of another model serve this model. The Secret of this model is then kept, and no workers are
   * started for this model.
   */
  hosted?: boolean;
  /**
   * Number of workers that may be evicted, because their streams fit into the slots of the other workers. Undefined if
   * it is unknown.
   */
  evictable?: number | undefined;
  /**
   * State of the rollout, which the runtime stores for the next operator. Undefined if there is none, as for a deleted
   * model or a guest.
   */
  rollout: RolloutState | undefined;
}

/** Returns how many workers of a revision and tier have to run. */
export function countDesired({ counts, tierCounts }: DesiredWorkers, revision: string, tier = ''): number {
  if (tierCounts === undefined) return tier === '' ? (counts.get(revision) ?? 0) : 0;
  return tierCounts.get(revision)?.get(tier) ?? 0;
}

/** A worker that has to stop. */
export interface WorkerStop {
  id: string;
  /** Why the worker failed. Undefined if it has to stop for another reason. */
  failure?: string;
}

/** A new value of `spec.scaling.replicas`, and the version of the ASRModel that it was decided for. */
export interface ScaleUpdate {
  uid: string | undefined;
  generation: number | undefined;
  /** Null to remove the field `spec.scaling.replicas`. */
  replicas: number | null;
}

/** A worker that runs, whether or not it accepts sessions yet. */
export interface RunningWorker {
  id: string;
  model: string;
  revision: string;
  /** Tier of the worker. Absent if its revision has no tiers. */
  tier?: string | undefined;
  /** Node that the worker runs on. Empty if it is not scheduled yet. Undefined if the runtime has no nodes. */
  node?: string | undefined;
  /** Time since the process of the worker started, as far as this operator has observed it. */
  ageMs: number;
  /** True if the worker was selected for removal or is already stopping. */
  stopping: boolean;
  /**
   * True for old and new workers of a Deployment that Kubernetes is restarting. The pool stops such a worker only if
   * its revision is not needed any more.
   */
  pinned?: boolean;
  /** Reason why the process of the worker cannot start yet, such as a missing node. Undefined if it does not wait. */
  pending?: StartFailure | undefined;
  /** Why the worker fails to start although other workers of its revision work. Undefined if it does not fail. */
  sickness?: string | undefined;
  /** Notice about the node that the worker runs on. Undefined if there is none. */
  notice?: NodeNotice | undefined;
}

/** A reason to move the workers of a node to other nodes. */
export interface NodeNotice {
  /**
   * `removal` if the node is about to be removed, possibly within seconds. `cordon` if the node accepts no further
   * pods. A cordoned node may stay in use or be drained next.
   */
  kind: 'removal' | 'cordon';
  /** What announced the removal or the cordon, such as a taint. */
  reason: string;
}

/** A worker that has ended. */
export interface EndedWorker {
  id: string;
  model: string;
  /** How the worker ended, as a predicate for log messages: "ended with status 1". */
  how: string;
  /** True if the worker was asked to stop. */
  requested: boolean;
}

/** The reason why workers of a revision cannot be started. */
export interface StartFailure {
  /** CamelCase reason of conditions such as `Degraded`. */
  reason: string;
  /** Message of these conditions, for administrators. */
  message: string;
  /** True if no worker of the revision can be created until the model or the cluster is changed. */
  isRefusal?: boolean;
}

export interface RuntimeListener {
  /** Called when a worker has ended. */
  onEnded: (worker: EndedWorker) => void;
  /** Called when the workers of a model, or the objects that they need, may have changed. */
  onChanged: (model: string) => void;
}

/** Runs workers, as processes on this machine or as pods of a cluster. */
export interface WorkerRuntime {
  /** Finds the workers that an earlier operator left running, and starts to report changes to the listener. */
  open: (listener: RuntimeListener) => Promise<void> | void;
  /**
   * Builds the template of a model and of the guests that its workers serve. The runtime decides what belongs to a
   * revision.
   */
  buildTemplate: (model: AsrModel, guests?: readonly AsrModel[]) => WorkerTemplate;
  /** Returns the models that have workers or Deployments, including deleted models. */
  models: () => string[];
  list: (model: string) => RunningWorker[];
  /**
   * Replaces the desired state of a model's workers. Does not wait until the workers match it. The runtime converges in
   * the background and retries what fails. Applying the same state twice changes nothing.
   */
  apply: (model: string, desired: DesiredWorkers) => void;
  /** Call when a worker was observed to accept sessions. This shows that workers of its revision can start. */
  confirm: (id: string) => void;
  /**
   * Returns why workers of a revision, or of one of its tiers, cannot be started. Undefined if no reason is known. A
   * revision with tiers has a start failure only if all of its tiers have one.
   */
  startFailure: (of: RevisionTier) => StartFailure | undefined;
  /**
   * Returns the tiers of a revision. Empty if the revision has no tiers. If this function is absent, no revision has
   * tiers.
   */
  tiers?: (of: Revision) => string[];
  /** Returns the nodes on which workers of a model failed repeatedly. */
  failingNodes: (model: string) => string[];
  /**
   * Reports whether the objects in the namespace of a model were listed. Before that, there may be workers and a stored
   * rollout state that this operator does not know. If this function is absent, everything is known.
   */
  isListed?: (of: Pick<WorkerTemplate, 'model' | 'namespace'>) => boolean;
  /**
   * Reports whether a model may have workers that this operator does not know, because the namespace was not listed.
   * False if the namespace does not exist or is being deleted, because the deletion of the namespace ends such workers.
   * If this function is absent, all workers are known.
   */
  mayMissWorkers?: (of: Pick<WorkerTemplate, 'model' | 'namespace'>) => boolean;
  /** Returns the rollout state that an earlier operator stored. Undefined if there is none. */
  storedRollout: (of: Pick<WorkerTemplate, 'model' | 'namespace'>) => RolloutState | undefined;
  /** Stops processes and waits for them. Pods continue to run for the next operator. */
  close: () => Promise<void>;
}
