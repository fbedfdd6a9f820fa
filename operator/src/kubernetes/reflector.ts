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

/** The newest known state of all objects of a type, followed for as long as it runs. */
export interface Reflector {
  /** Resolves after the first list; tries for ever until then. Stopped before, it resolves too. */
  start: () => Promise<void>;
  stop: () => void;
  /** Whether everything has been listed once. */
  synced: () => boolean;
  get: (name: string) => KubeObject | undefined;
  list: () => readonly KubeObject[];
}

export interface ReflectorTimes extends PaceOptions {
  /** Objects of a page of a list. */
  pageSize: number;
  /** How long the server is asked to keep a watch open: a random time between the two. */
  watchSeconds: { min: number; max: number };
  /** A watch of which nothing came for so long is taken for dead; bookmarks come about every minute. */
  quietMs: number;
  /** Everything is listed anew after this time, in case an event was ever lost. */
  relistMs: number;
}

export type RelistReason = 'start' | 'expired' | 'failures' | 'periodic';

export interface ReflectorOptions {
  api: Pick<KubeApi, 'list' | 'watch'>;
  type: ResourceType;
  labelSelector?: string;
  /** An object was added, changed or is gone: `get` has its newest state. Whatever it throws is logged. */
  onChange: (name: string) => void;
  /** What is kept of each object; all but the managed fields unless told. */
  trim?: (object: KubeObject) => KubeObject;
  times: ReflectorTimes;
  logger: Logger;
  /** For metrics. */
  onRelist?: (reason: RelistReason) => void;
  /** Something came of the watch or a list. */
  onHeard?: () => void;
  clock?: Clock;
  random?: () => number;
}

/** Makes a reflector; it asks nothing before its start, and nobody but `stop` ends it. */
export function createReflector(options: ReflectorOptions): Reflector {
  const { api, type, labelSelector, onChange, times, logger, onRelist, onHeard } = options;
  const { clock = systemClock, random = Math.random, trim = dropManagedFields } = options;
  const store = createObjectStore();
  const stopping = new AbortController();
  let synced = false;
  let running: Promise<void> | undefined;
  /** Where the watch goes on; undefined: everything has to be listed first, for this reason. */
  let resourceVersion: string | undefined;
  let reason: RelistReason = 'start';
  let listedMs = 0;
  let onSynced: () => void = () => undefined;
  const isStopped = () => stopping.signal.aborted;

  function tell(name: string): void {
    try {
      onChange(name);
    } catch (err) {
      logger.error({ err, resource: `${type.kind}/${name}` }, 'whoever follows the objects failed at a change');
    }
  }

  async function relist(): Promise<string> {
    const { signal } = stopping;
    const listed = await listAll(api, type, { labelSelector, pageSize: times.pageSize, signal, trim });
    onRelist?.(reason);
    onHeard?.();
    resourceVersion = listed.resourceVersion;
    listedMs = clock.nowMs();
    for (const name of store.replace(listed.objects)) tell(name);
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
      tell(name);
    }
    if (version !== undefined) resourceVersion = version;
  }

  /** One watch; everything is listed before it where that is due. */
  async function turn(): Promise<Turn> {
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
        quietMs: times.quietMs,
        signal,
        clock,
        onHeard: () => onHeard?.(),
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
      const done = await turn();
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

/** Random, so that not all watches of all operators end together; a watch ends when the next list is due. */
export function chooseTimeout(
  { watchSeconds: { min, max }, relistMs }: Pick<ReflectorTimes, 'watchSeconds' | 'relistMs'>,
  sinceListMs: number,
  random: number,
): number {
  const untilRelist = Math.ceil((relistMs - sinceListMs) / 1000);
  return Math.max(1, Math.min(untilRelist, Math.round(min + random * (max - min))));
}

/** They are the largest part of many objects and tell us nothing. */
function dropManagedFields(object: KubeObject): KubeObject {
  Reflect.deleteProperty(object.metadata, 'managedFields');
  return object;
}
