import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from '@svc-asr/runtime';
import { createConnection } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';
import { createEventRecorder } from './events.ts';
import type { EventRecorder } from './events.ts';
import { passGate } from './gate.ts';
import type { Gate } from './gate.ts';
import { createElector } from './leader.ts';
import { createReflector } from './reflector.ts';
import type { Reflector, ReflectorTimes, RelistReason } from './reflector.ts';
import { checkTimes } from './settings.ts';
import type { ClusterApiSettings } from './settings.ts';

export interface ReflectOptions {
  labelSelector?: string;
  onChange: (name: string) => void;
  /** What is kept of each object. */
  trim?: (object: KubeObject) => KubeObject;
}

/** The cluster, as the parts of the operator see it. */
export interface Cluster {
  /** Writes only while this process leads. */
  api: KubeApi;
  /** Makes a reflector; it works whether or not this process leads. */
  reflect: (type: ResourceType, options: ReflectOptions) => Reflector;
  events: EventRecorder;
  gate: Gate;
  /** Runs for the lead. */
  start: () => void;
  /** Lets the lead go and closes the connections. */
  stop: () => Promise<void>;
}

export interface ClusterOptions {
  settings: ClusterApiSettings;
  logger: Logger;
  onElected: () => void;
  /** The lead was lost: nothing more can be written, and the process has to end. */
  onLost: (reason: string) => void;
  onRequest: (verb: string, code: number) => void;
  onRelist: (kind: string, reason: RelistReason) => void;
  /** Something came of a kind's watch. */
  onHeard: (kind: string) => void;
}

/** Name under which the API server records what the operator writes. */
export const FIELD_MANAGER = 'svc-asr-operator';
/** A hung request must leave time for another one before the lead is lost. */
const SHARE_OF_RENEWAL = 0.4;

/** Reads the configuration and makes everything that speaks to the cluster; nothing is asked before it is started. */
export function createCluster(options: ClusterOptions): Cluster {
  const { settings, logger, onRequest } = options;
  checkTimes(settings);
  const connection = createConnection({ settings, client: FIELD_MANAGER, onRequest });
  const identity = `${hostname()}_${randomUUID()}`;
  // Of its own, so that the lease never waits behind other requests.
  const leaseApi = connection.openApi({
    maxSockets: 1,
    timeoutMs: settings.LEASE_RENEW_MS * SHARE_OF_RENEWAL,
    retry: { tries: 1, baseMs: 1, maxMs: 1 },
  });
  const elector = createElector({
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
  return {
    api,
    reflect: (type, how) => {
      const reflector = createReflector({
        api,
        type,
        ...how,
        times,
        logger,
        onRelist: (reason) => options.onRelist(type.kind, reason),
        onHeard: () => options.onHeard(type.kind),
      });
      reflectors.push(reflector);
      return reflector;
    },
    events: createEventRecorder({ api, instance: identity, logger }),
    gate,
    start: elector.start,
    stop: async () => {
      await elector.stop();
      for (const reflector of reflectors) reflector.stop();
      leaseApi.close();
      api.close();
    },
  };
}

function timesOf(settings: ClusterApiSettings): ReflectorTimes {
  return {
    pageSize: settings.LIST_PAGE_SIZE,
    watchSeconds: { min: settings.WATCH_MIN_SECONDS, max: settings.WATCH_MAX_SECONDS },
    quietMs: settings.WATCH_IDLE_TIMEOUT_MS,
    relistMs: settings.RELIST_SECONDS * 1000,
    backoff: { baseMs: settings.KUBERNETES_RETRY_BASE_MS, maxMs: settings.KUBERNETES_RETRY_MAX_MS },
    shortestWatchMs: settings.WATCH_MIN_INTERVAL_MS,
  };
}
