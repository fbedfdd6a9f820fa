import type { Logger } from '@svc-asr/runtime';
import type { Clock } from '../queue/clock.ts';
import { systemClock } from '../queue/clock.ts';
import { buildWatchError, listAll } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject, ResourceType, WatchEvent } from '@svc-asr/kubernetes';
import { follow } from './reflect/follow.ts';
import { decidePace, whyRelist } from './reflect/pace.ts';
import type { PaceOptions, Turn } from './reflect/pace.ts';
import { createWatchReport } from './reflect/report.ts';
import { createObjectStore } from './reflect/store.ts';
import { wait } from './reflect/wait.ts';

/** Keeps the newest known version of all objects of a type while it runs. */
export interface Reflector {
  /**
   * Resolves after the first list, which is retried without limit. Also resolves if the reflector is stopped before.
   */
  start: () => Promise<void>;
  stop: () => void;
  /** Whether everything has been listed once. */
  synced: () => boolean;
  get: (name: string) => KubeObject | undefined;
  list: () => readonly KubeObject[];
}

export interface ReflectorTimes extends PaceOptions {
  /** Objects per page of a list. */
  pageSize: number;
  /** Range of the random time for which a watch is requested. */
  watchSeconds: { min: number; max: number };
  /** Time without any data after which a watch counts as dead. Bookmarks arrive about every minute. */
  idleTimeoutMs: number;
  /** Interval of full lists, in case an event was lost. */
  relistMs: number;
}

export type RelistReason = 'start' | 'expired' | 'failures' | 'periodic';

export interface ReflectorOptions {
  api: Pick<KubeApi, 'list' | 'watch'>;
  type: ResourceType;
  labelSelector?: string;
  /**
   * Called when an object was added, changed or deleted. `get` returns its newest version. Errors that it throws are
   * logged.
   */
  onChange: (name: string) => void;
  /** Returns the part of each object that is kept. By default everything except the managed fields. */
  trim?: (object: KubeObject) => KubeObject;
  times: ReflectorTimes;
  logger: Logger;
  /** Called for each list, for metrics. */
  onRelist?: (reason: RelistReason) => void;
  /** Called when a watch or a list received anything. */
  onActivity?: () => void;
  clock?: Clock;
  random?: () => number;
}

/** Creates a reflector. It sends no request before `start`, and only `stop` ends it. */
export function createReflector(options: ReflectorOptions): Reflector {
  const { api, type, labelSelector, onChange, times, logger, onRelist, onActivity } = options;
  const { clock = systemClock, random = Math.random, trim = dropManagedFields } = options;
  const store = createObjectStore();
  const stopping = new AbortController();
  let synced = false;
  let running: Promise<void> | undefined;
  /** Version from which the watch continues. Undefined if everything must be listed first, for `reason`. */
  let resourceVersion: string | undefined;
  let reason: RelistReason = 'start';
  let listedMs = 0;
  let onSynced: () => void = () => undefined;
  const isStopped = () => stopping.signal.aborted;

  function notify(name: string): void {
    try {
      onChange(name);
    } catch (err) {
      logger.error({ err, resource: `${type.kind}/${name}` }, 'the change handler failed');
    }
  }

  async function relist(): Promise<string> {
    const { signal } = stopping;
    const listed = await listAll(api, type, { labelSelector, pageSize: times.pageSize, signal, trim });
    onRelist?.(reason);
    onActivity?.();
    resourceVersion = listed.resourceVersion;
    listedMs = clock.nowMs();
    for (const name of store.replace(listed.objects)) notify(name);
    synced = true;
    onSynced();
    return listed.resourceVersion;
  }

  function take({ type: change, object }: WatchEvent): void {
    if (change === 'ERROR') throw buildWatchError(`watch ${type.plural}`, object);
    const { name, resourceVersion: version } = object.metadata;
    if (change !== 'BOOKMARK') {
      if (change === 'DELETED') store.remove(name);
      else store.put(trim(object));
      notify(name);
    }
    if (version !== undefined) resourceVersion = version;
  }

  /** Runs one watch, after a list if one is due. */
  async function runTurn(): Promise<Turn> {
    const { signal } = stopping;
    if (resourceVersion !== undefined && clock.nowMs() - listedMs >= times.relistMs) {
      resourceVersion = undefined;
      reason = 'periodic';
    }
    try {
      const from = resourceVersion ?? (await relist());
      const timeoutSeconds = chooseTimeout(times, clock.nowMs() - listedMs, random());
      return await follow(api, type, {
        labelSelector,
        resourceVersion: from,
        timeoutSeconds,
        idleTimeoutMs: times.idleTimeoutMs,
        signal,
        clock,
        onActivity: () => onActivity?.(),
        take,
      });
    } catch (error) {
      return { error, watchedMs: 0, events: 0 };
    }
  }

  async function run(): Promise<void> {
    const report = createWatchReport(type, logger);
    let failures = 0;
    for (;;) {
      const done = await runTurn();
      if (isStopped()) return;
      const pace = decidePace(done, failures, times, random());
      ({ failures } = pace);
      const doubt = whyRelist(done.error, failures);
      if (doubt !== undefined) {
        reason = doubt;
        resourceVersion = undefined;
      }
      report(failures, done.error);
      await wait(clock, pace.waitMs, stopping.signal);
      if (isStopped()) return;
    }
  }

  return {
    start: () => {
      running ??= new Promise((resolve) => {
        onSynced = resolve;
        stopping.signal.addEventListener('abort', () => resolve(), { once: true });
        void run();
      });
      return running;
    },
    stop: () => stopping.abort(new Error('the reflector stops')),
    synced: () => synced,
    get: store.get,
    list: store.list,
  };
}

/** Chooses a random timeout, so that not all watches end together. A watch ends when the next list is due. */
export function chooseTimeout(
  { watchSeconds: { min, max }, relistMs }: Pick<ReflectorTimes, 'watchSeconds' | 'relistMs'>,
  sinceListMs: number,
  random: number,
): number {
  const untilRelist = Math.ceil((relistMs - sinceListMs) / 1000);
  return Math.max(1, Math.min(untilRelist, Math.round(min + random * (max - min))));
}

/** Removes the managed fields, which are the largest part of many objects and are not used. */
function dropManagedFields(object: KubeObject): KubeObject {
  Reflect.deleteProperty(object.metadata, 'managedFields');
  return object;
}
