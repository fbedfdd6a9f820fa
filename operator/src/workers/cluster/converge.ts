import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import { PartialFailure } from '../../failure/partial-failure.ts';
import { countDesired } from '../runtime.ts';
import type { DesiredWorkers } from '../runtime.ts';
import type { RevisionTier, WorkerTemplate } from '../template.ts';
import { LABELS, revisionName, sharedName } from './names.ts';
import { buildDisruptionChild, buildRolloutChild } from './objects/children.ts';
import type { ChildBuilder, DeploymentBuilder } from './objects/children.ts';
import { decideScale } from './pods/scale.ts';
import { isRefusal } from './refusal.ts';
import type { ScaleWriter } from './scale-writer.ts';
import { buildModelSecret } from './secret/model-secret.ts';
import type { SecretSource } from './secret/model-secret.ts';
import type { ClusterView } from './view.ts';

export interface ConvergeDependencies {
  view: Pick<ClusterView, 'children' | 'pods' | 'replicaSets' | 'removals' | 'labelSick'>;
  builder: ChildBuilder;
  scaleWriter: ScaleWriter;
  /** Sources of the values in the Secret of each model. If the list is empty, models have no Secret. */
  secretSources: readonly SecretSource[];
  /** Returns the number of ready pods of a model that must not be evicted. Undefined if evictions are not limited. */
  countProtected: (model: string, evictable: number) => number | undefined;
  /** Reports whether no further pods may be created from a Deployment. Its existing pods keep running. */
  isRefused: (revision: string, deployment: KubeObject) => boolean;
  /**
   * Called for each tier of the newest revision after its objects were written, or with the error if the API server
   * rejected them.
   */
  onTierWritten: (tier: RevisionTier, error?: unknown) => void;
}

/** The model whose objects are converged. */
export interface ConvergedModel {
  model: string;
  /** Owner of the objects. Undefined if the model was deleted. */
  owner: Pick<WorkerTemplate, 'model' | 'uid'> | undefined;
}

/**
 * Brings the objects of a model one step closer to the desired state, and writes only what differs. Later steps may
 * wait for changes in the cluster, such as the status of a ReplicaSet. Each such change leads to another call. Returns
 * a problem that did not prevent the other steps. Throws if a problem prevented them.
 */
export async function convergeModel(
  { model, owner }: ConvergedModel,
  desired: DesiredWorkers,
  dependencies: ConvergeDependencies,
): Promise<PartialFailure | undefined> {
  const { children, pods, removals } = dependencies.view;
  const { template } = desired;
  // Pods are marked before any Deployment is scaled, because Kubernetes removes marked pods first when a Deployment
  // shrinks.
  await removals.mark(model, pods.of(model));
  // Sick pods are labelled before any Deployment grows, so that the scheduler keeps further pods off their nodes.
  const labelProblem = await labelSick(model, desired, dependencies);
  await storeRollout(desired, dependencies);
  // Older revisions are converged first, because they must keep serving even if the API server rejects the newest one.
  for (const deployment of children.deployments(model)) {
    const { [LABELS.revision]: revision = '', [LABELS.tier]: tier } = deployment.metadata.labels ?? {};
    if (revision !== template?.revision || !desired.counts.has(revision)) {
      const older = { model, revision, deployment, ...(tier !== undefined && { tier }) };
      await convergeOlderRevision(older, desired, dependencies);
    }
  }
  const secretProblem = owner && (await ensureSecret(owner, dependencies));
  const isWanted = template !== undefined && desired.counts.has(template.revision);
  if (owner !== undefined && (isWanted || pods.of(model).length > 0)) {
    await ensureDisruptionBudget(owner, desired, dependencies);
  }
  const tierProblem = isWanted ? await convergeNewestRevision(template, desired, dependencies) : undefined;
  if (hasNothingLeft(model, desired, dependencies.view)) await children.remove(model);
  // The replicas in the ASRModel are written last, because no worker depends on this write.
  await dependencies.scaleWriter.write(model, desired.scale);
  return secretProblem ?? tierProblem ?? labelProblem;
}

/** Reports whether a model was deleted and its last pod has ended. */
export function hasNothingLeft(
  model: string,
  { counts, hosted }: DesiredWorkers,
  { pods }: Pick<ClusterView, 'pods'>,
): boolean {
  return hosted !== true && counts.size === 0 && pods.of(model).length === 0;
}

/**
 * Reports whether the objects of a deleted model without pods can be left to Kubernetes, which deletes them with their
 * owner. In a namespace that is being deleted, the operator has lost its rights and cannot delete the objects itself.
 */
export function isLeftToKubernetes(
  model: string,
  desired: DesiredWorkers,
  view: Pick<ClusterView, 'pods'>,
  error: unknown,
): boolean {
  const isForbidden = error instanceof KubernetesError && error.status === 403;
  return isForbidden && desired.template === undefined && hasNothingLeft(model, desired, view);
}

/**
 * Labels the sick pods. If that fails, returns the problem instead of throwing it, so that the other steps still run.
 * The label only affects where further pods run.
 */
async function labelSick(
  model: string,
  { sick = [] }: DesiredWorkers,
  { view }: ConvergeDependencies,
): Promise<PartialFailure | undefined> {
  try {
    await view.labelSick(model, sick);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return new PartialFailure(`cannot label the sick pods of ${model}: ${reason}`, { cause: error });
  }
}

async function storeRollout({ template, rollout }: DesiredWorkers, { view }: ConvergeDependencies): Promise<void> {
  if (template !== undefined && rollout !== undefined) await view.children.ensure(buildRolloutChild(template, rollout));
}

/**
 * Creates or updates the Secret that pods of all revisions of a model mount. If some values cannot be renewed, keeps
 * their earlier content, with which workers can still start, and returns the problem.
 */
async function ensureSecret(
  owner: Pick<WorkerTemplate, 'model' | 'uid'>,
  { view: { children }, secretSources }: ConvergeDependencies,
): Promise<PartialFailure | undefined> {
  if (secretSources.length === 0) return undefined;
  const live = children.get(TYPES.Secret, sharedName(owner.model));
  const { secret, problem } = await buildModelSecret(owner, live, secretSources);
  await children.ensure(secret);
  // Not returned as a SecretError, which would count as a start failure. The model would then accept no new sessions.
  return problem && new PartialFailure(problem.message, { cause: problem });
}

/** Limits evictions to workers whose streams fit into the slots of the other workers. */
async function ensureDisruptionBudget(
  owner: Pick<WorkerTemplate, 'model' | 'uid'>,
  { evictable }: DesiredWorkers,
  { view: { children }, countProtected }: ConvergeDependencies,
): Promise<void> {
  if (evictable === undefined) return;
  await children.ensure(buildDisruptionChild(owner, countProtected(owner.model, evictable)));
}

/**
 * Creates or repairs the objects of the newest revision, and scales its Deployments. If the API server rejects the
 * Deployment of one tier, the other tiers are still written, and the problem is returned.
 */
async function convergeNewestRevision(
  template: WorkerTemplate,
  desired: DesiredWorkers,
  dependencies: ConvergeDependencies,
): Promise<PartialFailure | undefined> {
  const { builder, view, onTierWritten } = dependencies;
  const { model, revision } = template;
  const { prerequisites, deployments } = builder(template);
  await Promise.all(prerequisites.map((child) => view.children.ensure(child)));
  let problem: PartialFailure | undefined;
  for (const { tier, workers } of deployments) {
    const of = { model, revision, ...(tier !== undefined && { tier }) };
    try {
      await convergeDeployment(of, workers, desired, dependencies);
      if (tier !== undefined) onTierWritten(of);
    } catch (error) {
      if (tier === undefined || !isRefusal(error)) throw error;
      onTierWritten(of, error);
      problem ??= new PartialFailure(`tier ${tier}: ${error.message}`, { cause: error });
    }
  }
  return problem;
}

async function convergeDeployment(
  { model, revision, tier }: RevisionTier,
  workers: DeploymentBuilder['workers'],
  desired: DesiredWorkers,
  dependencies: ConvergeDependencies,
): Promise<void> {
  const { children, removals } = dependencies.view;
  const name = revisionName(model, revision, tier);
  const live = children.get(TYPES.Deployment, name);
  const of = { model, revision, deployment: live, ...(tier !== undefined && { tier }) };
  const { replicas, remove } = decideReplicas(of, desired, dependencies);
  // A different number of replicas does not count as drift. It is patched separately, without touching other fields.
  await children.ensure(workers(live === undefined ? replicas : replicasOf(live)));
  if (live !== undefined && replicasOf(live) !== replicas) await children.scale(name, replicas);
  await removals.deletePods(remove);
}

/** Scales the Deployment of an older revision. Deletes it after its last pod if the revision is not needed any more. */
async function convergeOlderRevision(
  older: RevisionTier & { deployment: KubeObject },
  desired: DesiredWorkers,
  dependencies: ConvergeDependencies,
): Promise<void> {
  const { children, pods, removals } = dependencies.view;
  const { model, revision, deployment } = older;
  const { replicas, remove } = decideReplicas(older, desired, dependencies);
  if (replicasOf(deployment) !== replicas) await children.scale(deployment.metadata.name, replicas);
  await removals.deletePods(remove);
  const isNeeded = desired.counts.has(revision) || replicas > 0 || pods.of(model, revision).length > 0;
  if (!isNeeded) await children.remove(model, revision);
}

function decideReplicas(
  { model, revision, tier, deployment }: RevisionTier & { deployment: KubeObject | undefined },
  desired: DesiredWorkers,
  { view: { pods, replicaSets, removals }, isRefused }: ConvergeDependencies,
) {
  const observed = pods
    .of(model, revision, tier)
    .map((pod) => ({ ...pod, selectedForRemoval: pod.selectedForRemoval || removals.isSelected(pod) }));
  const wanted = countDesired(desired, revision, tier);
  const staying = observed.filter((pod) => !pod.selectedForRemoval && !pod.terminating && !pod.ended).length;
  const count = deployment !== undefined && isRefused(revision, deployment) ? Math.min(wanted, staying) : wanted;
  const sets = replicaSets.of(model, revision, tier);
  return decideScale({ count, replicas: deployment && replicasOf(deployment), pods: observed, sets });
}

function replicasOf({ spec }: KubeObject): number {
  return (spec as { replicas?: number } | undefined)?.replicas ?? 1;
}
