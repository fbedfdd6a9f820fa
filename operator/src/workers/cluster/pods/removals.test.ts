import { TYPES } from '@svc-asr/kubernetes';
import { createClusterApi } from '../../../testing/cluster-api.ts';
import { createRemovals } from './removals.ts';
import { ANNOTATIONS, LABELS, PHASES } from '../names.ts';
import { readPod } from './pod.ts';

test('removals.mark adds a missing phase label to a pod that an earlier operator selected for removal, and keeps the stored reason', async () => {
  const cluster = createClusterApi();
  const labels = { [LABELS.model]: 'm', [LABELS.revision]: 'r', [LABELS.phase]: PHASES.serving };
  const put = (name: string, annotations: Record<string, string>) =>
    cluster.put(TYPES.Pod, { metadata: { name, labels, annotations } });
  put('old', { [ANNOTATIONS.stopping]: 'it hangs' });
  put('other', {});
  const pods = ['old', 'other'].map((name) => readPod(cluster.get(TYPES.Pod, name)!)!);
  const selectedForRemoval = createRemovals(cluster.api);
  for (let round = 0; round < 3; round++) await selectedForRemoval.mark('m', pods);
  expect(cluster.writes).toEqual(['patch Pod/old']);
  const { metadata } = cluster.get(TYPES.Pod, 'old')!;
  expect(metadata.labels?.[LABELS.phase]).toBe(PHASES.leaving);
  expect(metadata.annotations).toMatchObject({
    [ANNOTATIONS.stopping]: 'it hangs',
    [ANNOTATIONS.deletionCost]: expect.stringMatching(/^-/),
  });
});

test('removals.mark does not write to a pod that already has the annotation and the label for removal', async () => {
  const cluster = createClusterApi();
  const labels = { [LABELS.model]: 'm', [LABELS.revision]: 'r', [LABELS.phase]: PHASES.leaving };
  cluster.put(TYPES.Pod, { metadata: { name: 'a', labels, annotations: { [ANNOTATIONS.stopping]: 'drained' } } });
  await createRemovals(cluster.api).mark('m', [readPod(cluster.get(TYPES.Pod, 'a')!)!]);
  expect(cluster.writes).toEqual([]);
});
