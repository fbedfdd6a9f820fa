import { API_VERSION } from '@svc-asr/core';
import type { WorkerTemplate } from '../../template.ts';
import { labelsOf } from '../names.ts';

/**
 * Builds the metadata of an object of a model, a revision or a tier. Kubernetes deletes the object together with its
 * ASRModel.
 */
export function buildMetadata(
  { model, uid }: Pick<WorkerTemplate, 'model' | 'uid'>,
  name: string,
  revision?: string,
  tier?: string,
) {
  const owner = { apiVersion: API_VERSION, kind: 'ASRModel', name: model, controller: true, blockOwnerDeletion: true };
  return {
    name,
    labels: labelsOf(model, revision, tier),
    // Models that come from files have no ASRModel object that could be the owner.
    ...(uid !== undefined && { ownerReferences: [{ ...owner, uid }] }),
  };
}
