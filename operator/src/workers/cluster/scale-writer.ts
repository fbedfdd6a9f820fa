import { API_VERSION } from '@svc-asr/core';
import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi } from '@svc-asr/kubernetes';
import type { Logger } from '@svc-asr/runtime';
import type { EventRecorder } from '../../kubernetes/events.ts';
import type { Notices } from '../../notices.ts';
import type { ScaleUpdate } from '../runtime.ts';
import { isRefusal } from './refusal.ts';

/** Writes `spec.scaling.replicas` of ASRModels. */
export interface ScaleWriter {
  /**
   * Writes an update once for each generation of the model. The watch reports the write with a delay. Until then,
   * the pool decides the same update again. `update` is undefined if there is nothing to write. No worker depends on
   * this write. An update that the API server rejects is therefore only reported, and retried later.
   */
  write: (model: string, update: ScaleUpdate | undefined) => Promise<void>;
}

export interface ScaleWriterOptions {
  api: Pick<KubeApi, 'get' | 'mergePatch'>;
  /** Time until a rejected update is retried. */
  scaleRetryMs: number;
  nowMs: () => number;
  events: Pick<EventRecorder, 'record'>;
  notices: Notices;
  logger: Logger;
}

export function createScaleWriter(options: ScaleWriterOptions): ScaleWriter {
  const { api, scaleRetryMs, nowMs, notices } = options;
  /** For each model, its version at the last attempt, and the time before which no further attempt is made. */
  const attempts = new Map<string, { version: string; untilMs: number }>();
  return {
    write: async (model, update) => {
      const version = `${update?.uid ?? ''} ${update?.generation ?? ''}`;
      const last = attempts.get(model);
      if (last?.version === version && nowMs() < last.untilMs) return;
      attempts.delete(model);
      if (update === undefined) {
        notices.clear(`scale ${model}`);
        return;
      }
      try {
        if (await patchReplicas(api, model, update)) attempts.set(model, { version, untilMs: Infinity });
      } catch (error) {
        if (!isRefusal(error)) throw error;
        attempts.set(model, { version, untilMs: nowMs() + scaleRetryMs });
        reportRefusal(model, update, error, options);
      }
    },
  };
}

/**
 * Writes the replicas. Resolves to false if the model was changed or deleted between the read and the write, so that a
 * retry is needed.
 */
async function patchReplicas(
  api: ScaleWriterOptions['api'],
  model: string,
  { uid, generation, replicas }: ScaleUpdate,
): Promise<boolean> {
  const { metadata } = (await api.get(TYPES.ASRModel, model)) ?? {};
  // The model has changed since the decision. The watch will report the change and lead to a new decision.
  if (metadata?.uid !== uid || metadata?.generation !== generation) return true;
  const { resourceVersion } = metadata ?? {};
  try {
    // The resourceVersion protects values that other clients set meanwhile, even if the response to an earlier write
    // was lost.
    const patch = { metadata: { uid, resourceVersion }, spec: { scaling: { replicas } } };
    await api.mergePatch(TYPES.ASRModel, model, patch);
    return true;
  } catch (error) {
    if (error instanceof KubernetesError && [404, 409].includes(error.status)) return false;
    throw error;
  }
}

function reportRefusal(
  model: string,
  { uid, replicas }: ScaleUpdate,
  error: KubernetesError,
  { notices, logger, events }: ScaleWriterOptions,
): void {
  const message = `${describe(replicas)} The API server rejected the update: ${error.message}`;
  notices.raise(`scale ${model}`, message, () => {
    logger.warn({ model, resource: `ASRModel/${model}`, err: error }, `${model}: ${message}`);
    const metadata = { name: model, ...(uid !== undefined && { uid }) };
    events.record({ apiVersion: API_VERSION, kind: 'ASRModel', metadata }, 'Warning', 'ScaleRefused', message);
  });
}

function describe(replicas: number | null): string {
  return replicas === null
    ? 'spec.scaling.replicas has no effect in the mode Sessions and could not be removed. Remove it: the next autoscaler would start from it.'
    : `spec.scaling.replicas could not be set, and no autoscaler can start without it. Allow the operator to update ASRModels, or run "kubectl scale asrmodel ... --replicas=${replicas}".`;
}
