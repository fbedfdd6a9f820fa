import type { V1ConfigMap } from '@kubernetes/client-node';
import type { RolloutState } from '@svc-asr/core';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { WorkerTemplate } from '../../runtime.ts';
import { buildMetadata } from './metadata.ts';
import { sharedName } from '../names.ts';

/** What the operator has to remember of a model's rollout, where people can read it. */
export function buildRolloutState(
  owner: Pick<WorkerTemplate, 'model' | 'uid'>,
  { stable, candidate, rejected }: RolloutState,
) {
  // When it was last looked at means nothing to the next operator.
  const kept = { stable, candidate: candidate && { ...candidate, lookedAtMs: undefined }, rejected };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: buildMetadata(owner, sharedName(owner.model)),
    data: { rollout: JSON.stringify(kept) },
  } satisfies V1ConfigMap;
}

/** What an operator before this one remembered; undefined: nothing that can be read. */
export function readRolloutState(object: KubeObject | undefined): RolloutState | undefined {
  const { data } = (object ?? {}) as Pick<V1ConfigMap, 'data'>;
  try {
    const { stable, candidate, rejected } = JSON.parse(data?.rollout ?? '') as Partial<RolloutState>;
    if (typeof stable !== 'string') return undefined;
    return { stable, candidate: candidate && { ...candidate, lookedAtMs: undefined }, rejected };
  } catch {
    return undefined;
  }
}
