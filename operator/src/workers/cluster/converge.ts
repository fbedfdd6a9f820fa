import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { WorkerTemplate } from '../runtime.ts';
import type { ScaleUpdate } from '../pool/scale-update.ts';
import type { Child } from './objects/children.ts';
import type { BuiltChildren } from './objects/built.ts';
import type { ChildStore } from './objects/store.ts';
import type { Removals } from './pods/removals.ts';
import { LABELS, revisionName } from './names.ts';
import type { PodIndex } from './pods/pod-index.ts';
import { decideScale } from './pods/scale.ts';
import type { ScaleWriter } from './scale-writer.ts';
import type { ReplicaSets } from './pods/replica-sets.ts';

/** What a model's pool wants in the cluster. */
export interface Wanted {
  /** What its workers are made from; undefined: the model is deleted, or nothing can be made of it. */
  template: WorkerTemplate | undefined;
  /** Workers by revision, those that stop not counted. */
  counts: ReadonlyMap<string, number>;
  /** Revisions of which something has to stay even without workers. */
  needed: ReadonlySet<string>;
  /** What is to be remembered of its rollout; undefined: what is remembered already. */
  remembered: Child | undefined;
  /** What is to be written of its scale; undefined: nothing. */
  scale: ScaleUpdate | undefined;
}

export interface ConvergeDependencies {
  built: (template: WorkerTemplate) => BuiltChildren;
  children: ChildStore;
  pods: PodIndex;
  sets: ReplicaSets;
  removals: Removals;
  scales: ScaleWriter;
}

/** Brings the objects of a model to what its pool wants, once; it writes only what differs. */
export async function convergeModel(model: string, wanted: Wanted, dependencies: ConvergeDependencies): Promise<void> {
  const { children, removals, pods, built } = dependencies;
  // The mark comes first: who has it is taken by Kubernetes before others.
  await removals.mark(model, pods.of(model));
  const { template } = wanted;
  if (wanted.remembered !== undefined) await children.ensure(wanted.remembered);
  // Before the newest: the API server may refuse that, and these serve meanwhile.
  for (const deployment of children.deployments(model)) {
    const revision = deployment.metadata.labels?.[LABELS.revision] ?? '';
    if (revision !== template?.revision) await keepOlder(model, revision, deployment, wanted, dependencies);
  }
  if (template !== undefined) {
    await Promise.all(built(template).prerequisites.map((child) => children.ensure(child)));
    await ensureWorkers(template, wanted, dependencies);
  }
  if (isDone(model, wanted, dependencies)) await children.remove(model);
  // Nothing waits for it.
  await dependencies.scales.write(model, wanted.scale);
}

/** Whether a model is deleted and has no pod any more. */
export function isDone(model: string, { needed }: Wanted, { pods }: Pick<ConvergeDependencies, 'pods'>): boolean {
  return needed.size === 0 && pods.of(model).length === 0;
}

/** The Deployment of what the model is now. */
async function ensureWorkers(
  template: WorkerTemplate,
  wanted: Wanted,
  dependencies: ConvergeDependencies,
): Promise<void> {
  const { built, children } = dependencies;
  const { model, revision } = template;
  const name = revisionName(model, revision);
  const live = children.get(TYPES.Deployment, name);
  const { replicas, remove } = decide(model, revision, live, wanted, dependencies);
  // How many there are is not drift: it is changed by itself, without touching anything else.
  await children.ensure(built(template).workers(live === undefined ? replicas : replicasOf(live)));
  if (live !== undefined && replicasOf(live) !== replicas) await children.scale(name, replicas);
  await dependencies.removals.deletePods(remove);
}

/** The Deployment of what the model was before: its pods are left alone until they are chosen to go. */
async function keepOlder(
  model: string,
  revision: string,
  deployment: KubeObject,
  wanted: Wanted,
  dependencies: ConvergeDependencies,
): Promise<void> {
  const { children, pods, removals } = dependencies;
  const { replicas, remove } = decide(model, revision, deployment, wanted, dependencies);
  if (replicasOf(deployment) !== replicas) await children.scale(deployment.metadata.name, replicas);
  await removals.deletePods(remove);
  const needed = wanted.needed.has(revision) || replicas > 0 || pods.of(model, revision).length > 0;
  if (!needed) await children.remove(model, revision);
}

function decide(
  model: string,
  revision: string,
  live: KubeObject | undefined,
  { counts }: Wanted,
  { pods, sets, removals }: ConvergeDependencies,
) {
  const seen = pods
    .of(model, revision)
    .map((pod) => ({ ...pod, selectedForRemoval: pod.selectedForRemoval || removals.isSelected(pod) }));
  const count = counts.get(revision) ?? 0;
  return decideScale({ count, replicas: live && replicasOf(live), pods: seen, sets: sets.of(model, revision) });
}

function replicasOf({ spec }: KubeObject): number {
  return (spec as { replicas?: number } | undefined)?.replicas ?? 1;
}
