import { API_VERSION } from '@svc-asr/core';
import type { WorkerTemplate } from '../../runtime.ts';
import { labelsOf } from '../names.ts';

/** Name, labels and owner of an object that belongs to a model; without the ASRModel it goes too. */
export function buildMetadata({ model, uid }: Pick<WorkerTemplate, 'model' | 'uid'>, name: string, revision?: string) {
  const owner = { apiVersion: API_VERSION, kind: 'ASRModel', name: model, controller: true, blockOwnerDeletion: true };
  return {
    name,
    labels: labelsOf(model, revision),
    // Models that come from files have no object that could own anything.
    ...(uid !== undefined && { ownerReferences: [{ ...owner, uid }] }),
  };
}
