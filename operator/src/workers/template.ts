import type { AsrModel } from '@svc-asr/core';
import { digestOf } from './digest.ts';
import type { WorkerTemplate } from './runtime.ts';

/** What the workers of a model are made from; whatever changes it is a new revision. */
export function buildTemplate({ metadata, spec: { artifact, worker, drainSeconds } }: AsrModel): WorkerTemplate {
  const { name, uid } = metadata;
  const revision = digestOf({ artifact, worker });
  return { model: name, revision, artifact, worker, drainSeconds, ...(uid !== undefined && { uid }) };
}
