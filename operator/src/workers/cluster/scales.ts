import { ApiError, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi } from '@svc-asr/kubernetes';

/** How many workers a model begins with, and which generation of it that was decided for. */
export interface FirstScale {
  uid: string | undefined;
  generation: number | undefined;
  replicas: number;
}

/** Gives models a scale that others then drive. */
export interface Scales {
  /** Writes it, once for each generation of the model: news of what was written take a moment. */
  begin: (model: string, scale: FirstScale) => Promise<void>;
}

/** Makes it. The API server answers a read of a scale without replicas with an error, so that no autoscaler could begin. */
export function createScales(api: Pick<KubeApi, 'mergePatch'>): Scales {
  const written = new Map<string, string>();
  return {
    begin: async (model, { uid, generation, replicas }) => {
      const version = `${uid ?? ''} ${generation ?? ''}`;
      if (written.get(model) === version) return;
      try {
        const patch = { metadata: { ...(uid !== undefined && { uid }) }, spec: { scaling: { replicas } } };
        await api.mergePatch(TYPES.ASRModel, model, patch);
      } catch (error) {
        // Gone, or another one of the same name.
        if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error;
      }
      written.set(model, version);
    },
  };
}
