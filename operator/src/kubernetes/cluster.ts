import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from '@svc-asr/runtime';
import { createConnection } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';
import { createEventRecorder } from './events.ts';
import type { EventRecorder } from './events.ts';
import { passGate } from './gate.ts';
import type { Gate } from './gate.ts';
import { Elector } from './leader.ts';
import { ApiReflector } from './reflector.ts';
import type { Reflector, ReflectorTimes, RelistReason } from './reflector.ts';
import { checkTimes } from './settings.ts';
import type { ClusterApiSettings } from './settings.ts';

export interface ReflectOptions {
  labelSelector?: string;
  onChange: (name: string) => void;
  /** Returns the part of each object that is kept in memory. */
  trim?: (object: KubeObject) => KubeObject;
}

/** Access to the objects of one namespace. */
export interface ClusterScope {
  /** Client for the API server. The client refuses writes while this process is not the leader. */
  api: KubeApi;
  /** Creates a reflector. The reflector works whether or not this process is the leader. */
  reflect: (type: ResourceType, options: ReflectOptions) => Reflector;
  events: EventRecorder;
}

/**
 * Access of the operator's components to the cluster. The inherited fields are for the namespace of the installation.
 */
export interface Cluster extends ClusterScope {
  /** Access to each namespace that may contain ASRModels. The first one is for the namespace of the installation. */
  scopes: readonly ClusterScope[];
  gate: Gate;
  /** Starts the leader election. */
  start: () => void;
  /** Releases the Lease and closes the connections. */
  stop: () => Promise<void>;
}

export interface ClusterOptions {
  settings: ClusterApiSettings;
  logger: Logger;
  onElected: () => void;
  /** Called when leadership was lost. Nothing can be written any more, and the process must exit. */
  onLost: (reason: string) => void;
  onRequest: (verb: string, code: number) => void;
  onRelist: (kind: string, reason: RelistReason) => void;
  /**
   * Called when the reflector of a kind in a namespace starts, after each full list, and when its watch has received
   * data.
   */
  onActivity: (kind: string, namespace: string) => void;
}

/** Field manager of the operator's writes. */
export const FIELD_MANAGER = 'svc-asr-operator';
/**
 * Share of `LEASE_RENEW_MS` that one request for the lease may take. With the default settings, a request that times
 * out is followed by another attempt before leadership is lost.
 */
const RENEWAL_TIMEOUT_SHARE = 0.4;

/** Reads the configuration and creates the clients. Sends no request. */
export function createCluster(options: ClusterOptions): Cluster {
  const { settings, logger, onRequest } = options;
  checkTimes(settings);
  const connection = createConnection({ settings, client: FIELD_MANAGER, onRequest });
  const identity = `${hostname()}_${randomUUID()}`;
  // The lease has its own connection, so that it never waits behind other requests.
  const leaseApi = connection.openApi({
    maxSockets: 1,
    timeoutMs: settings.LEASE_RENEW_MS * RENEWAL_TIMEOUT_SHARE,
    retry: { tries: 1, baseMs: 1, maxMs: 1 },
  });
  const elector = new Elector({
    api: leaseApi,
    name: settings.LEASE_NAME,
    identity,
    leaseSeconds: settings.LEASE_SECONDS,
    renewMs: settings.LEASE_RENEW_MS,
    retryMs: settings.LEASE_RETRY_MS,
    onElected: options.onElected,
    onLost: options.onLost,
    logger,
  });

  const { gate } = elector;
  const api = connection.openApi({ gate: { pass: () => passGate(gate), signal: gate.signal } });
  const times = timesOf(settings);
  const reflectors: Reflector[] = [];
  const createScope = (scoped: KubeApi): ClusterScope => ({
    api: scoped,
    reflect: (type, how) => {
      const reflector = new ApiReflector({
        api: scoped,
        namespace: scoped.namespace,
        type,
        ...how,
        times,
        logger,
        onRelist: (reason) => options.onRelist(type.kind, reason),
        onActivity: () => options.onActivity(type.kind, scoped.namespace),
      });
      reflectors.push(reflector);
      return reflector;
    },
    events: createEventRecorder({ api: scoped, instance: identity, logger }),
  });
  const scope = createScope(api);
  const others = settings.MODEL_NAMESPACES.filter((namespace) => namespace !== api.namespace);
  return {
    ...scope,
    scopes: [scope, ...others.map((namespace) => createScope(api.within(namespace)))],
    gate,
    start: () => elector.start(),
    stop: async () => {
      await elector.stop();
      for (const reflector of reflectors) reflector.stop();
      leaseApi.close();
      api.close();
    },
  };
}

/** Returns the scope of a namespace. Undefined stands for the namespace of the installation. */
export function scopeOf<S extends { api: Pick<KubeApi, 'namespace'> }>(
  scopes: readonly S[],
  namespace: string | undefined,
): S {
  const [first] = scopes;
  const found = namespace === undefined ? first : scopes.find(({ api }) => api.namespace === namespace);
  if (found === undefined) throw new Error(`namespace ${namespace ?? ''} is not in MODEL_NAMESPACES`);
  return found;
}

function timesOf(settings: ClusterApiSettings): ReflectorTimes {
  return {
    pageSize: settings.LIST_PAGE_SIZE,
    watchSeconds: { min: settings.WATCH_MIN_SECONDS, max: settings.WATCH_MAX_SECONDS },
    idleTimeoutMs: settings.WATCH_IDLE_TIMEOUT_MS,
    relistMs: settings.RELIST_SECONDS * 1000,
    backoff: { baseMs: settings.KUBERNETES_RETRY_BASE_MS, maxMs: settings.KUBERNETES_RETRY_MAX_MS },
    shortestWatchMs: settings.WATCH_MIN_INTERVAL_MS,
  };
}
