import { createAccess } from './access.ts';
import type { AccessKeeper } from './access.ts';
import type { KubeApi } from './api.ts';
import { createKubeApi } from './client.ts';
import type { KubeApiOptions } from './client.ts';
import { IN_CLUSTER } from './settings.ts';
import type { KubernetesSettings } from './settings.ts';
import { createTransport } from './transport.ts';

/** Access to the API server, and the namespace of the installation. */
export interface Connection {
  namespace: string;
  /**
   * Creates a client with its own connections, so that its requests do not wait for those of other clients. Connections
   * for watches are shared by all clients.
   */
  openApi: (options?: ApiLimits) => KubeApi;
}

export interface ConnectionOptions {
  settings: KubernetesSettings;
  /** Name of the client, which is its field manager and user agent. */
  client: string;
  /** Called for every attempt of a request. The code is the HTTP status, or 0 if there was no response. */
  onRequest?: (verb: string, code: number) => void;
}

/** Options that differ between clients of a process. All other options follow from the settings. */
export type ApiLimits = Partial<Pick<KubeApiOptions, 'timeoutMs' | 'retry' | 'gate'>> & { maxSockets?: number };

/**
 * Reads the configuration for access to the API server, without sending a request. Throws if the configuration is
 * invalid.
 */
export function createConnection({ settings, client, onRequest }: ConnectionOptions): Connection {
  const kubeconfig = settings.KUBERNETES === IN_CLUSTER ? undefined : settings.KUBERNETES;
  const access: AccessKeeper = createAccess(kubeconfig, () => performance.now());
  const namespace = settings.NAMESPACE === '' ? access.namespace : settings.NAMESPACE;
  if (namespace === undefined || namespace === '') {
    throw new Error('the kubeconfig contains no namespace; set NAMESPACE to the namespace of the installation');
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
