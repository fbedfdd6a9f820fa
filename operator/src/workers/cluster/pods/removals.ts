import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi } from '@svc-asr/kubernetes';
import { ANNOTATIONS, LABELS, PHASES } from '../names.ts';
import type { WorkerPod } from './pod.ts';

/** The pods that were chosen to go. The choice stands on the pod, so that the next operator finds it. */
export interface Removals {
  isSelected: (pod: Pick<WorkerPod, 'name' | 'model'>) => boolean;
  /** Whether pods of a model were chosen that are still there. */
  hasSelected: (model: string) => boolean;
  /** Chooses a pod; nothing happens to it before it is marked. */
  select: (pod: WorkerPod, why: string) => void;
  /** Marks the pods of a model that were chosen, be it by an operator that marked them in another way. */
  mark: (model: string, pods: readonly WorkerPod[]) => Promise<void>;
  /** Deletes pods, each once. */
  deletePods: (pods: readonly WorkerPod[]) => Promise<void>;
  /** A pod is no more. */
  forget: (pod: Pick<WorkerPod, 'name' | 'model'>) => void;
}

interface Choice {
  /** Undefined: the pod says so already. */
  why: string | undefined;
  marked: boolean;
}

/** Lower than that of any other pod, so that Kubernetes takes it first. */
const LOWEST_COST = -2_147_483_647;

/** Makes the list. */
export function createRemovals(api: Pick<KubeApi, 'mergePatch' | 'delete'>): Removals {
  const byModel = new Map<string, Map<string, Choice>>();
  const removed = new Set<string>();

  async function mark(name: string, choice: Choice): Promise<void> {
    const { why } = choice;
    const annotations = {
      [ANNOTATIONS.deletionCost]: String(LOWEST_COST),
      ...(why !== undefined && { [ANNOTATIONS.stopping]: why }),
    };
    // In one write with the cost: who tells that it saw the label has seen the cost.
    const labels = { [LABELS.phase]: PHASES.leaving };
    try {
      await api.mergePatch(TYPES.Pod, name, { metadata: { annotations, labels } });
    } catch (error) {
      if (!(error instanceof KubernetesError) || error.status !== 404) throw error;
    }
    choice.marked = true;
  }

  function choose({ name, model, selectedForRemoval, labelled }: WorkerPod, why: string | undefined): void {
    const choices = byModel.get(model) ?? new Map<string, Choice>();
    if (!choices.has(name)) byModel.set(model, choices.set(name, { why, marked: selectedForRemoval && labelled }));
  }

  return {
    isSelected: ({ name, model }) => byModel.get(model)?.has(name) === true,
    hasSelected: (model) => byModel.has(model),
    select: choose,
    mark: async (model, pods) => {
      for (const pod of pods) if (pod.selectedForRemoval && !pod.labelled && !pod.terminating) choose(pod, undefined);
      const waiting = [...(byModel.get(model) ?? [])].filter(([, { marked }]) => !marked);
      await Promise.all(waiting.map(([name, choice]) => mark(name, choice)));
    },
    deletePods: async (doomed) => {
      for (const { name, uid } of doomed) {
        if (removed.has(name)) continue;
        await api.delete(TYPES.Pod, name, { uid });
        removed.add(name);
      }
    },
    forget: ({ name, model }) => {
      removed.delete(name);
      const choices = byModel.get(model);
      choices?.delete(name);
      if (choices?.size === 0) byModel.delete(model);
    },
  };
}
