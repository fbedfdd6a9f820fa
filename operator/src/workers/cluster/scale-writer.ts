import { API_VERSION } from '@svc-asr/core';
import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi } from '@svc-asr/kubernetes';
import type { Logger } from '@svc-asr/runtime';
import type { EventRecorder } from '../../kubernetes/events.ts';
import type { Notices } from '../../notices.ts';
import type { ScaleUpdate } from '../pool/scale-update.ts';
import { isRefusal } from './refusal.ts';

/** Gives models a scale that others then drive, and takes away what is left of it. */
export interface ScaleWriter {
  /**
   * Writes it, once for each generation of the model: news of what was written take a moment. Workers do not depend on
   * it, so a refusal is told and tried again later, and fails nothing; undefined: nothing is to be written.
   */
  write: (model: string, scale: ScaleUpdate | undefined) => Promise<void>;
}

export interface ScaleWriterOptions {
  api: Pick<KubeApi, 'get' | 'mergePatch'>;
  /** When one that was refused is tried again. */
  retryMs: number;
  nowMs: () => number;
  events: Pick<EventRecorder, 'record'>;
  notices: Notices;
  logger: Logger;
}

/** Makes it. */
export function createScaleWriter({ api, retryMs, nowMs, events, notices, logger }: ScaleWriterOptions): ScaleWriter {
  /** By model: what it was written for, and until when that is left alone. */
  const written = new Map<string, { version: string; untilMs: number }>();

  /** False: somebody else wrote at the same time. */
  async function write(model: string, { uid, generation, replicas }: ScaleUpdate): Promise<boolean> {
    const { metadata } = (await api.get(TYPES.ASRModel, model)) ?? {};
    // Another one by now: what it needs is decided when news of it have come.
    if (metadata?.uid !== uid || metadata?.generation !== generation) return true;
    const { resourceVersion } = metadata ?? {};
    try {
      // Guarded by what was read: whoever set a scale meanwhile, or after an answer that was lost, keeps it.
      const patch = { metadata: { uid, resourceVersion }, spec: { scaling: { replicas } } };
      await api.mergePatch(TYPES.ASRModel, model, patch);
      return true;
    } catch (error) {
      if (error instanceof KubernetesError && [404, 409].includes(error.status)) return false;
      throw error;
    }
  }

  function tell(model: string, { uid, replicas }: ScaleUpdate, error: KubernetesError): void {
    const message = `${describe(replicas)}; the API server refuses: ${error.message}`;
    notices.raise(`scale ${model}`, message, () => {
      logger.warn({ model, resource: `ASRModel/${model}`, err: error }, `${model}: ${message}`);
      const metadata = { name: model, ...(uid !== undefined && { uid }) };
      events.record({ apiVersion: API_VERSION, kind: 'ASRModel', metadata }, 'Warning', 'ScaleRefused', message);
    });
  }

  return {
    write: async (model, scale) => {
      const version = `${scale?.uid ?? ''} ${scale?.generation ?? ''}`;
      const last = written.get(model);
      if (last?.version === version && nowMs() < last.untilMs) return;
      written.delete(model);
      if (scale === undefined) {
        notices.clear(`scale ${model}`);
        return;
      }
      try {
        if (await write(model, scale)) written.set(model, { version, untilMs: Infinity });
      } catch (error) {
        if (!isRefusal(error)) throw error;
        written.set(model, { version, untilMs: nowMs() + retryMs });
        tell(model, scale, error);
      }
    },
  };
}

function describe(replicas: number | null): string {
  return replicas === null
    ? 'scaling.replicas is left of the mode External and cannot be removed: remove it, or it is where the next autoscaler begins'
    : `no autoscaler can begin, since scaling.replicas cannot be written: allow the operator to, or run "kubectl scale" with ${replicas}`;
}
