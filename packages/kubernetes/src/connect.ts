import { createAccess } from './access.ts';
import type { AccessKeeper } from './access.ts';
import type { KubeApi } from './api.ts';
import { createKubeApi } from './client.ts';
import type { KubeApiOptions } from './client.ts';
import { IN_CLUSTER } from './settings.ts';
import type { KubernetesSettings } from './settings.ts';
import { createTransport } from './transport.ts';

/** The way to the API server, and the namespace to work in. */
export interface Connection {
  namespace: string;
  /** A client whose requests wait for none of another's. */
  openApi: (options?: ApiLimits) => KubeApi;
}

export interface ConnectionOptions {
  settings: KubernetesSettings;
  /** Who this is: the name of the field manager. */
  client: string;
  /** Told of every try; the code is an HTTP status, 0 where no answer came. */
  onRequest?: (verb: string, code: number) => void;
}

/** What a client has of its own; the rest is as the settings say. */
export type ApiLimits = Partial<Pick<KubeApiOptions, 'timeoutMs' | 'retry' | 'gate'>> & { maxSockets?: number };

/** Reads how to reach the API server; nothing is asked yet. Throws where the configuration is wrong. */
export function createConnection({ settings, client, onRequest }: ConnectionOptions): Connection {
  const kubeconfig = settings.KUBERNETES === IN_CLUSTER ? undefined : settings.KUBERNETES;
  const access: AccessKeeper = createAccess(kubeconfig, () => performance.now());
  const namespace = settings.NAMESPACE === '' ? access.namespace : settings.NAMESPACE;
  if (namespace === undefined || namespace === '') {
    throw new Error('the kubeconfig names no namespace: set NAMESPACE to that of the installation');
  }
  const watchTransport = createTransport({ access, client });
  return {
    namespace,
    openApi: ({ maxSockets = settings.KUBERNETES_CONNECTIONS, ...limits } = {}) =>
      createKubeApi({
        namespace,
        fieldManager: client,
        access,
        watchTransport,
        transport: createTransport({ access, client, maxSockets }),
        timeoutMs: settings.KUBERNETES_TIMEOUT_MS,
        retry: {
          tries: settings.KUBERNETES_MAX_ATTEMPTS,
          baseMs: settings.KUBERNETES_RETRY_BASE_MS,
          maxMs: settings.KUBERNETES_RETRY_MAX_MS,
        },
        ...(onRequest && { onRequest }),
        ...limits,
      }),
  };
}
