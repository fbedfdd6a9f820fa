import { createAccess, createKubeApi, createTransport } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';
import { ApiReflector } from '../../operator/src/kubernetes/reflector.ts';
import type { Reflector } from '../../operator/src/kubernetes/reflector.ts';
import { createLogger } from '@svc-asr/runtime';

const TIMEOUT_MS = 60_000;
const CLIENT = 'svc-asr-bench';

/** Creates the operator's HTTP client with up to `connections` keep-alive connections. */
export function createClient(
  kubeconfig: string,
  namespace: string,
  connections: number,
  onRequest: (verb: string, code: number) => void = () => undefined,
): KubeApi {
  const access = createAccess(kubeconfig, () => performance.now());
  return createKubeApi({
    namespace,
    access,
    onRequest,
    fieldManager: CLIENT,
    transport: createTransport({ access, client: CLIENT, maxSockets: connections }),
    watchTransport: createTransport({ access, client: CLIENT }),
    timeoutMs: TIMEOUT_MS,
    retry: { tries: 4, baseMs: 200, maxMs: 5000 },
  });
}

/** Follows the objects of a type with one watch, which costs the API server little. */
export function followObjects(
  api: KubeApi,
  type: ResourceType,
  options: {
    labelSelector?: string;
    onChange: (name: string) => void;
    trim?: (object: KubeObject) => KubeObject;
  },
): Reflector {
  return new ApiReflector({
    api,
    type,
    ...options,
    times: {
      pageSize: 500,
      watchSeconds: { min: 3000, max: 3600 },
      idleTimeoutMs: 120_000,
      relistMs: 3_600_000,
      backoff: { baseMs: 200, maxMs: 5000 },
      shortestWatchMs: 200,
    },
    logger: createLogger('bench', 'silent'),
  });
}

/** Returns the number of objects of a type without reading them all. */
export async function countObjects(api: KubeApi, type: ResourceType): Promise<number> {
  const { items, metadata } = await api.list(type, { limit: 1 });
  const { remainingItemCount = 0 } = metadata as { remainingItemCount?: number };
  return items.length + remainingItemCount;
}

/** Runs `work` for each item, for at most `atOnce` items at the same time. */
export async function forEachOf<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const next = items[Symbol.iterator]();
  const run = async () => {
    for (let step = next.next(); step.done !== true; step = next.next()) await work(step.value);
  };
  await Promise.all(Array.from({ length: atOnce }, run));
}
