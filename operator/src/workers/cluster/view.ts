import { API_VERSION } from '@svc-asr/core';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';
import type { Logger } from '@svc-asr/runtime';
import type { EventRecorder } from '../../kubernetes/events.ts';
import type { RuntimeListener } from '../runtime.ts';
import { LABELS, POD_SELECTOR } from './names.ts';
import type { Child } from './objects/children.ts';
import type { Reflect } from './objects/object-cache.ts';
import { createChildStore } from './objects/store.ts';
import type { ChildStore } from './objects/store.ts';
import { trimPod } from './pods/pod.ts';
import type { WorkerPod } from './pods/pod.ts';
import { PodIndex } from './pods/pod-index.ts';
import { labelSickPods } from './pods/label-sick.ts';
import { createRemovals } from './pods/removals.ts';
import type { Removals } from './pods/removals.ts';
import { createReplicaSets } from './pods/replica-sets.ts';
import type { ReplicaSets } from './pods/replica-sets.ts';

export interface ClusterViewOptions {
  api: Pick<KubeApi, 'namespace' | 'get' | 'apply' | 'mergePatch' | 'delete'>;
  reflect: Reflect;
  events: Pick<EventRecorder, 'record'>;
  /** Time beyond the grace period of a deleted pod after which the operator stops waiting for the pod. */
  overdueMs: number;
  /** Called when a selected pod of the model can now be removed, because the status of its ReplicaSet has changed. */
  onUnblocked: (model: string) => void;
  logger: Logger;
  nowMs: () => number;
}

/** The objects of all models in a namespace, as far as this operator has observed them. */
export interface ClusterView {
  children: ChildStore;
  pods: PodIndex;
  replicaSets: ReplicaSets;
  removals: Removals;
  /** Sets the label of the sick pods of a model, and removes it from those that recovered. */
  labelSick: (model: string, sick: readonly string[]) => Promise<void>;
  /** Lists all objects, then follows their changes. Resolves when everything was listed. */
  start: (listener: RuntimeListener) => Promise<void>;
  stop: () => void;
}

/** Creates the view. It reports nothing until it is started. */
export function createClusterView(options: ClusterViewOptions): ClusterView {
  const { api, reflect, overdueMs, onUnblocked, logger, nowMs } = options;
  let listener: RuntimeListener = { onEnded: () => undefined, onChanged: () => undefined };

  const children = createChildStore({
    api,
    reflect,
    onChange: (model) => listener.onChanged(model),
    onModified: (child) => warnOfModification(child, logger),
  });
  const removals = createRemovals(api);
  const pods = new PodIndex({
    nowMs,
    overdueMs,
    onEnded: (worker) => {
      const { id, model, how, requested } = worker;
      // If only the process restarted, the worker has ended but its pod stays selected for removal.
      if (pods.get(id) === undefined) removals.forget({ name: id, model });
      logger[requested ? 'info' : 'warn']({ model }, `worker ${id} ${how}`);
      listener.onEnded(worker);
    },
    onOverdue: (pod) => warnOfOverduePod(pod, children, options),
  });
  const reflector = reflect(TYPES.Pod, {
    labelSelector: POD_SELECTOR,
    onChange: (name) => {
      const before = pods.get(name);
      pods.update(name, reflector.get(name));
      const model = (pods.get(name) ?? before)?.model;
      if (model !== undefined) listener.onChanged(model);
    },
    trim: trimPod,
  });
  const replicaSets = createReplicaSets(reflect, (model) => {
    if (removals.hasSelected(model)) onUnblocked(model);
  });

  return {
    children,
    pods,
    replicaSets,
    removals,
    labelSick: (model, sick) => {
      const staying = pods.of(model).filter((pod) => !removals.isSelected(pod));
      return labelSickPods(api, staying, sick);
    },
    start: async (next) => {
      listener = next;
      await Promise.all([reflector.start(), replicaSets.reflector.start(), children.start()]);
    },
    stop: () => {
      reflector.stop();
      replicaSets.reflector.stop();
      children.stop();
    },
  };
}

function warnOfModification({ type, object }: Child, logger: Logger): void {
  const { name, labels } = object.metadata;
  logger.warn(
    { model: labels?.[LABELS.model], resource: `${type.kind}/${name}` },
    `${type.kind} ${name} differs from what was applied: something in the cluster, such as an admission webhook, ` +
      'modifies it. The operator leaves it as it is',
  );
}

function warnOfOverduePod(pod: WorkerPod, children: ChildStore, { logger, events }: ClusterViewOptions): void {
  const { owner, message } = describeOverdue(pod, children.deployments(pod.model));
  logger.warn({ model: pod.model, resource: `Pod/${pod.name}` }, message);
  if (owner !== undefined) events.record(owner, 'Warning', 'WorkerStuck', message);
}

/** Records an event on the ASRModel to which the Deployments belong. Records nothing if there are no Deployments. */
export function recordOnModel(
  events: Pick<EventRecorder, 'record'>,
  deployments: readonly KubeObject[],
  ...event: [type: 'Normal' | 'Warning', reason: string, message: string]
): void {
  const owner = findOwner(deployments);
  if (owner !== undefined) events.record(owner, ...event);
}

/** Returns the ASRModel to which the Deployments belong. Undefined if there are no Deployments. */
function findOwner(deployments: readonly KubeObject[]): KubeObject | undefined {
  const [owner] = deployments.flatMap(({ metadata }) => metadata.ownerReferences ?? []);
  return owner && { apiVersion: API_VERSION, kind: owner.kind, metadata: { name: owner.name, uid: owner.uid } };
}

/** Returns the warning about a deleted pod that does not end, and the ASRModel that it belongs to if one is known. */
function describeOverdue(
  { name, graceMs }: WorkerPod,
  deployments: readonly KubeObject[],
): { owner: KubeObject | undefined; message: string } {
  const message =
    `pod ${name} was deleted but has not ended long after its grace period of ${graceMs / 1000} s. ` +
    'The operator no longer waits for it. Its node may be down. If it is, delete the Node object, ' +
    `or run "kubectl delete pod ${name} --force"`;
  return { owner: findOwner(deployments), message };
}
