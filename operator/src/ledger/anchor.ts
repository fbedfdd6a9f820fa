import { API_GROUP } from '@svc-asr/core';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeApi } from '@svc-asr/kubernetes';
import { readWhole, writeDurably } from '@svc-asr/runtime';

/** Copy of the ledger id outside of Redis, so that it is not lost together with Redis. */
export interface LedgerAnchor {
  /** Returns the ledger id. Undefined if no ledger was created yet. */
  read: () => Promise<string | undefined>;
  write: (ledgerId: string) => Promise<void>;
}

/** Creates an anchor that keeps the id in memory. The id is lost when this process ends. */
export function createMemoryAnchor(): LedgerAnchor {
  let known: string | undefined;
  return {
    read: () => Promise.resolve(known),
    write: (ledgerId) => {
      known = ledgerId;
      return Promise.resolve();
    },
  };
}

/** Creates an anchor that keeps the id in a file. */
export function createFileAnchor(file: string): LedgerAnchor {
  return {
    read: async () => {
      const text = (await readWhole(file))?.trim();
      return text === '' ? undefined : text;
    },
    write: (ledgerId) => writeDurably(file, `${ledgerId}\n`),
  };
}

/** Creates an anchor that keeps the id in a ConfigMap, which gateways mount. */
export function createConfigMapAnchor(api: Pick<KubeApi, 'get' | 'apply'>, name: string): LedgerAnchor {
  return {
    read: async () => {
      const { data } = ((await api.get(TYPES.ConfigMap, name)) ?? {}) as { data?: { id?: string } };
      return data?.id;
    },
    write: async (id) => {
      const labels = { 'app.kubernetes.io/managed-by': 'svc-asr-operator', 'app.kubernetes.io/part-of': 'svc-asr' };
      const annotations = {
        [`${API_GROUP}/about`]: 'The id of the ledger in Redis. Without it, credit may be granted twice.',
      };
      await api.apply(TYPES.ConfigMap, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, labels, annotations },
        data: { id },
      });
    },
  };
}
