import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi } from '@svc-asr/kubernetes';
import { LABELS } from '../names.ts';
import type { WorkerPod } from './pod.ts';

/**
 * Sets a label on sick pods, which keeps further pods of their model and tier off their nodes. Removes it from pods
 * that have recovered. A pod that was selected for removal keeps its label until it has ended. Throws the first error
 * after it has tried all pods.
 */
export async function labelSickPods(
  api: Pick<KubeApi, 'mergePatch'>,
  pods: readonly WorkerPod[],
  sick: readonly string[],
): Promise<void> {
  const staying = pods.filter(({ terminating, selectedForRemoval }) => !terminating && !selectedForRemoval);
  const changed = staying.filter((pod) => pod.sick !== sick.includes(pod.name));
  const results = await Promise.allSettled(changed.map((pod) => labelPod(api, pod)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function labelPod(api: Pick<KubeApi, 'mergePatch'>, { name, sick }: WorkerPod): Promise<void> {
  try {
    await api.mergePatch(TYPES.Pod, name, { metadata: { labels: { [LABELS.sick]: sick ? null : 'true' } } });
  } catch (error) {
    // The pod was deleted meanwhile.
    if (!(error instanceof KubernetesError) || error.status !== 404) throw error;
  }
}
