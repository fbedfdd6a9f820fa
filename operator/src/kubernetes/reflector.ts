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

/** Keeps the newest known version of all objects of a type in memory, from `start` to `stop`. */
export interface Reflector {
  /**
   * Starts to list and watch. Resolves after the first list, which is retried without limit. Also resolves if the
   * reflector is stopped before the first list has succeeded.
   */
  start: () => Promise<void>;
  stop: () => void;
  /** Returns whether all objects have been listed at least once. */
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
  /** Interval of full lists. A full list finds changes whose watch events were lost. */
  relistMs: number;
}

export type RelistReason = 'start' | 'expired' | 'failures' | 'periodic';

export interface ReflectorOptions {
  api: Pick<KubeApi, 'list' | 'watch'>;
  /** Namespace of the objects, for log messages. */
  namespace?: string;
  type: ResourceType;
  labelSelector?: string;
  /**
   * Called when an object was added, changed or deleted. `get` returns its newest version. Errors that this callback
   * throws are logged.
   */
  onChange: (name: string) => void;
  /** Returns the part of each object that is kept. By default everything except the managed fields. */
  trim?: (object: KubeObject) => KubeObject;
  times: ReflectorTimes;
  logger: Logger;
  /** Called after each full list, for metrics. */
  onRelist?: (reason: RelistReason) => void;
  /** Called when the reflector starts, after each full list, and when a watch received anything. */
  onActivity?: () => void;
  clock?: Clock;
  random?: () => number;
}

/**
 * Reflector that lists and watches objects of the Kubernetes API. It sends no request before `start` and then runs
 * until `stop`.
 */
export class ApiReflector implements Reflector {
  readonly #options: ReflectorOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #trim: (object: KubeObject) => KubeObject;
  readonly #store = createObjectStore();
  readonly #stopping = new AbortController();
  #resolveFirstList: () => void = () => undefined;
  readonly #firstList = new Promise<void>((resolve) => (this.#resolveFirstList = resolve));
  #started = false;
  #synced = false;
  /** Version from which the watch continues. Undefined if everything must be listed first. */
  #resourceVersion: string | undefined;
  /** Reason for the next full list. Valid while `#resourceVersion` is undefined. */
  #relistReason: RelistReason = 'start';
  #listedMs = 0;

  constructor(options: ReflectorOptions) {
    const { clock = systemClock, random = Math.random, trim = dropManagedFields } = options;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#trim = trim;
  }

  start(): Promise<void> {
    if (!this.#started) {
      this.#started = true;
      // Without this call, the metric of the time without activity would have no value for a watch that never receives
      // anything.
      this.#options.onActivity?.();
      void this.#run();
    }
    return this.#firstList;
  }

  stop(): void {
    this.#stopping.abort(new Error('the reflector stops'));
    this.#resolveFirstList();
  }

  synced(): boolean {
    return this.#synced;
  }

  get(name: string): KubeObject | undefined {
    return this.#store.get(name);
  }

  list(): readonly KubeObject[] {
    return this.#store.list();
  }

  async #run(): Promise<void> {
    const { type, namespace, times, logger } = this.#options;
    const report = createWatchReport(type, namespace, logger);
    let failures = 0;
    while (!this.#isStopped()) {
      const done = await this.#runTurn();
      if (this.#isStopped()) return;
      const pace = decidePace(done, failures, times, this.#random());
      ({ failures } = pace);
      const doubt = whyRelist(done.error, failures);
      if (doubt !== undefined) this.#requireList(doubt);
      report(failures, done.error);
      await wait(this.#clock, pace.waitMs, this.#stopping.signal);
    }
  }

  #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Runs one watch. If a full list is due, lists all objects first. */
  async #runTurn(): Promise<Turn> {
    const { api, type, labelSelector, times, onActivity } = this.#options;
    if (this.#resourceVersion !== undefined && this.#sinceListMs() >= times.relistMs) this.#requireList('periodic');
    try {
      const resourceVersion = this.#resourceVersion ?? (await this.#list());
      return await follow(api, type, {
        labelSelector,
        resourceVersion,
        timeoutSeconds: chooseTimeout(times, this.#sinceListMs(), this.#random()),
        idleTimeoutMs: times.idleTimeoutMs,
        signal: this.#stopping.signal,
        clock: this.#clock,
        onActivity: () => onActivity?.(),
        take: (event) => this.#take(event),
      });
    } catch (error) {
      return { error, watchedMs: 0, events: 0 };
    }
  }

  #requireList(reason: RelistReason): void {
    this.#relistReason = reason;
    this.#resourceVersion = undefined;
  }

  #sinceListMs(): number {
    return this.#clock.nowMs() - this.#listedMs;
  }

  /** Lists all objects and returns the version of the list. */
  async #list(): Promise<string> {
    const { api, type, labelSelector, times, onRelist, onActivity } = this.#options;
    const { objects, resourceVersion } = await listAll(api, type, {
      labelSelector,
      pageSize: times.pageSize,
      signal: this.#stopping.signal,
      trim: this.#trim,
    });
    onRelist?.(this.#relistReason);
    onActivity?.();
    this.#resourceVersion = resourceVersion;
    this.#listedMs = this.#clock.nowMs();
    for (const name of this.#store.replace(objects)) this.#notify(name);
    this.#synced = true;
    this.#resolveFirstList();
    return resourceVersion;
  }

  #take({ type: change, object }: WatchEvent): void {
    if (change === 'ERROR') throw buildWatchError(`watch ${this.#options.type.plural}`, object);
    const { name, resourceVersion } = object.metadata;
    if (change !== 'BOOKMARK') {
      if (change === 'DELETED') this.#store.remove(name);
      else this.#store.put(this.#trim(object));
      this.#notify(name);
    }
    if (resourceVersion !== undefined) this.#resourceVersion = resourceVersion;
  }

  #notify(name: string): void {
    const { type, onChange, logger } = this.#options;
    try {
      onChange(name);
    } catch (err) {
      logger.error({ err, resource: `${type.kind}/${name}` }, 'the change handler failed');
    }
  }
}

/**
 * Chooses the timeout of a watch in seconds. It is random, so that not all watches end together. The timeout is at most
 * one second longer than the time until the next periodic list.
 */
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
