import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi } from '@svc-asr/kubernetes';
import { backoffMs, createCounter } from '@svc-asr/runtime';
import type { Logger, Metrics } from '@svc-asr/runtime';
import { CONSOLE_METRICS } from '../metric-list.ts';
import type { ConsoleSettings } from '../settings.ts';
import { openFileStore } from './file-store.ts';
import { createClusterPlatform } from './cluster-platform.ts';
import { createFilePlatform } from './file-platform.ts';
import type { Platform } from './platform.ts';
import { createKubernetesStore } from './kubernetes-store.ts';
import type { ResourceStore } from './store.ts';

/** A store with its status and its shutdown. */
export interface OpenStore {
  store: ResourceStore;
  platform: Platform;
  /** Returns true after resources could be read for the first time. */
  ready: () => boolean;
  close: () => void;
}

/** Name of the field manager in the API server. */
const CLIENT = 'svc-asr-console';

/** Opens the store that the settings select: the cluster or files. */
export async function openStore(settings: ConsoleSettings, logger: Logger, metrics: Metrics): Promise<OpenStore> {
  if (settings.KUBERNETES === '') {
    const { CONFIG_FOLDER: folder, READ_ONLY_FOLDERS: readFolders } = settings;
    const store = await openFileStore({ folder, readFolders, now: Date.now });
    return { store, platform: createFilePlatform([...readFolders, folder]), ready: () => true, close: () => undefined };
  }
  const requests = createCounter(metrics.meter, CONSOLE_METRICS.kubernetesRequests);
  const connection = createConnection({
    settings,
    client: CLIENT,
    onRequest: (verb, code) => requests.add(1, { verb, code }),
  });
  const api = connection.openApi();
  const stopping = new AbortController();
  let seen = false;
  void reach(api, settings, logger, stopping.signal).then((reached) => (seen = reached));
  return {
    store: createKubernetesStore({ api, pageSize: settings.LIST_PAGE_SIZE }),
    platform: createClusterPlatform({
      api,
      pageSize: settings.LIST_PAGE_SIZE,
      leaseName: settings.OPERATOR_LEASE_NAME,
    }),
    ready: () => seen,
    close: () => {
      stopping.abort();
      api.close();
    },
  };
}

/**
 * Lists resources until the cluster responds, so that wrong settings and missing permissions are reported at the start.
 */
async function reach(api: KubeApi, settings: ConsoleSettings, logger: Logger, signal: AbortSignal): Promise<boolean> {
  const { KUBERNETES_RETRY_BASE_MS: baseMs, KUBERNETES_RETRY_MAX_MS: maxMs } = settings;
  for (let failures = 1; ; failures++) {
    try {
      await Promise.all([TYPES.Tenant, TYPES.ApiKey, TYPES.Member].map((type) => api.list(type, { limit: 1, signal })));
      return true;
    } catch (err) {
      if (failures === 1 && !signal.aborted) {
        logger.error({ err }, 'cannot read resources from the cluster, retrying');
      }
    }
    const waited = sleep(backoffMs(failures, { baseMs, maxMs }, Math.random()), true, { signal });
    if (!(await waited.catch(() => false))) return false;
  }
}
