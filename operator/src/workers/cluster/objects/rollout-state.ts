import type { V1ConfigMap } from '@kubernetes/client-node';
import type { RolloutState } from '@svc-asr/core';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { WorkerTemplate } from '../../template.ts';
import { buildMetadata } from './metadata.ts';
import { sharedName } from '../names.ts';

/** Builds the ConfigMap that stores the rollout state of a model for the next operator. */
export function buildRolloutState(
  owner: Pick<WorkerTemplate, 'model' | 'uid'>,
  { stable, candidate, rejected }: RolloutState,
) {
  // `observedAtMs` is a time of this process's monotonic clock, which has no meaning for the next operator.
  const kept = { stable, candidate: candidate && { ...candidate, observedAtMs: undefined }, rejected };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: buildMetadata(owner, sharedName(owner.model)),
    data: { rollout: JSON.stringify(kept) },
  } satisfies V1ConfigMap;
}

/** Reads the rollout state that an earlier operator stored. Returns undefined if there is none or it is unreadable. */
export function readRolloutState(object: KubeObject | undefined): RolloutState | undefined {
  const { data } = (object ?? {}) as Pick<V1ConfigMap, 'data'>;
  try {
    const { stable, candidate, rejected } = JSON.parse(data?.rollout ?? '') as Partial<RolloutState>;
    if (typeof stable !== 'string') return undefined;
    return { stable, candidate: candidate && { ...candidate, observedAtMs: undefined }, rejected };
  } catch {
    return undefined;
  }
}
