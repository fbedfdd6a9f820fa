import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi } from '@svc-asr/kubernetes';
import { ANNOTATIONS, LABELS, PHASES } from '../names.ts';
import type { WorkerPod } from './pod.ts';

/**
 * The pods that were selected for removal. The selection is stored on the pod itself, so that the next operator finds
 * it.
 */
export interface Removals {
  isSelected: (pod: Pick<WorkerPod, 'name' | 'model'>) => boolean;
  /** Reports whether this operator has selected pods of a model that have not ended. */
  hasSelected: (model: string) => boolean;
  /** Selects a pod for removal. The pod stays unchanged until `mark` is called. */
  select: (pod: WorkerPod, reason: string) => void;
  /**
   * Writes the selection to the pods of a model in the cluster. Completes the selection on pods to which an earlier
   * operator wrote only a part of it.
   */
  mark: (model: string, pods: readonly WorkerPod[]) => Promise<void>;
  /** Deletes pods. Pods that an earlier call has deleted are skipped. */
  deletePods: (pods: readonly WorkerPod[]) => Promise<void>;
  /** Call when a pod has ended. */
  forget: (pod: Pick<WorkerPod, 'name' | 'model'>) => void;
}

interface Selection {
  /** Reason to write into an annotation. Undefined if the pod already has the annotation. */
  reason: string | undefined;
  /** True once the selection was written to the pod in the cluster. */
  marked: boolean;
}

/**
 * Deletion cost of a selected pod. It is lower than that of any other pod, so that Kubernetes removes the selected pod
 * first.
 */
const LOWEST_COST = -2_147_483_647;

/** Creates an empty list of removals. */
export function createRemovals(api: Pick<KubeApi, 'mergePatch' | 'delete'>): Removals {
  const byModel = new Map<string, Map<string, Selection>>();
  const deleted = new Set<string>();

  async function markPod(name: string, selection: Selection): Promise<void> {
    const { reason } = selection;
    const annotations = {
      [ANNOTATIONS.deletionCost]: String(LOWEST_COST),
      ...(reason !== undefined && { [ANNOTATIONS.stopping]: reason }),
    };
    // The annotation with the deletion cost and the label are in one write. A controller that has seen the label has
    // therefore also seen the deletion cost.
    const labels = { [LABELS.phase]: PHASES.leaving };
    try {
      await api.mergePatch(TYPES.Pod, name, { metadata: { annotations, labels } });
    } catch (error) {
      if (!(error instanceof KubernetesError) || error.status !== 404) throw error;
    }
    selection.marked = true;
  }

  function select({ name, model, selectedForRemoval, labelled }: WorkerPod, reason: string | undefined): void {
    const selections = byModel.get(model) ?? new Map<string, Selection>();
    if (selections.has(name)) return;
    byModel.set(model, selections.set(name, { reason, marked: selectedForRemoval && labelled }));
  }

  return {
    isSelected: ({ name, model }) => byModel.get(model)?.has(name) === true,
    hasSelected: (model) => byModel.has(model),
    select,
    mark: async (model, pods) => {
      for (const pod of pods) if (pod.selectedForRemoval && !pod.labelled && !pod.terminating) select(pod, undefined);
      const unmarked = [...(byModel.get(model) ?? [])].filter(([, { marked }]) => !marked);
      await Promise.all(unmarked.map(([name, selection]) => markPod(name, selection)));
    },
    deletePods: async (pods) => {
      for (const { name, uid } of pods) {
        if (deleted.has(name)) continue;
        await api.delete(TYPES.Pod, name, { uid });
        deleted.add(name);
      }
    },
    forget: ({ name, model }) => {
      deleted.delete(name);
      const selections = byModel.get(model);
      selections?.delete(name);
      if (selections?.size === 0) byModel.delete(model);
    },
  };
}
