import type { ReconciledKind } from '@svc-asr/core';
import { KubernetesError, apiVersionOf, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';
import type { EventRecorder } from '../kubernetes/events.ts';
import { keyOf, partsOf } from '../source/source.ts';
import type { ResourceKey } from '../source/source.ts';
import { trimResource } from '../source/kubernetes/trim.ts';
import { mergeStatus, urgencyOf } from './change.ts';
import type { AnyStatus, StatusNews, StatusOf } from './change.ts';
import { findTransitions, isBad } from './conditions.ts';

/** Writes the status of resources. */
export interface StatusWriter {
  /**
   * Writes the status if it has changed. Slow fields are fields that change with the traffic. If only slow fields or
   * messages of conditions have changed, writes the status only with the scope `all`, and at most once per `slowMs`.
   */
  report: <K extends ReconciledKind>(kind: K, name: string, news: StatusNews<K>, scope: StatusScope) => Promise<void>;
  /** Returns the current status. Empty if there is none yet. */
  current: <K extends ReconciledKind>(kind: K, name: string) => StatusOf[K];
  /**
   * Forgets each write whose watch event has arrived. Also forgets the time of each write that is longer ago than
   * `slowMs` and so no longer delays slow fields. Call it regularly, so that memory use stays bounded.
   */
  forgetPast: () => void;
}

/**
 * Changes that a report writes. With `urgent`, it writes nothing if only slow fields or messages of conditions have
 * changed. A successful reconcile uses `urgent`. Otherwise a resync of all resources would send the writes of all slow
 * fields in one burst.
 */
export type StatusScope = 'urgent' | 'all';

/** Access to the namespace of a resource. */
export interface StatusAccess {
  api: Pick<KubeApi, 'applyStatus'>;
  events: Pick<EventRecorder, 'record'>;
}

export interface StatusWriterOptions {
  /** Returns the access to a namespace. Undefined stands for the namespace of the installation. */
  scopeOf: (namespace: string | undefined) => StatusAccess;
  /** Returns the object as last observed. */
  object: (kind: ReconciledKind, name: string) => KubeObject | undefined;
  /** Minimum interval between two writes of slow fields. */
  slowMs: Readonly<Record<ReconciledKind, number>>;
  /** Monotonic clock in milliseconds. Only differences are meaningful. */
  nowMs: () => number;
  wallMs?: () => number;
}

/** Creates a writer for the status subresource. A report without changes writes nothing. */
export function createStatusWriter(options: StatusWriterOptions): StatusWriter {
  const { scopeOf, slowMs, nowMs, wallMs = Date.now } = options;
  /** Responses to writes whose watch event has not arrived yet. */
  const unseen = new Map<ResourceKey, KubeObject>();
  /** Times of the last writes. */
  const writtenMs = new Map<ResourceKey, number>();
  const turns = new Map<ResourceKey, Promise<void>>();

  /**
   * Returns the newest known object. It is the response to our own write until the watch event of that write arrives.
   */
  function newest(kind: ReconciledKind, name: string): KubeObject | undefined {
    const seen = options.object(kind, name);
    const last = unseen.get(keyOf(kind, name));
    return seen !== undefined && last !== undefined && isNewer(last, seen) ? last : seen;
  }

  function wasWrittenLately(kind: ReconciledKind, key: ResourceKey): boolean {
    return nowMs() - (writtenMs.get(key) ?? -Infinity) < slowMs[kind];
  }

  /** Runs the reports of one resource one after the other, so that none repeats the write of the previous one. */
  function runExclusively(key: ResourceKey, write: () => Promise<void>): Promise<void> {
    const turn = (turns.get(key) ?? Promise.resolve()).catch(() => undefined).then(write);
    turns.set(key, turn);
    const leave = () => {
      if (turns.get(key) === turn) turns.delete(key);
    };
    turn.then(leave, leave);
    return turn;
  }

  const report: StatusWriter['report'] = (kind, name, news, scope) => {
    const key = keyOf(kind, name);
    return runExclusively(key, async () => {
      const object = newest(kind, name);
      if (object === undefined || isBeingDeleted(object) !== (news.deleting === true)) return;
      const before = statusOf(object);
      const after = mergeStatus(before, news, object.metadata.generation, wallMs());
      const urgency = urgencyOf(kind, before, after);
      if (urgency === 'none' || (urgency === 'later' && (scope === 'urgent' || wasWrittenLately(kind, key)))) return;
      const { api, events } = scopeOf(object.metadata.namespace);
      const answer = await send(api, kind, object, after);
      if (answer === undefined) return;
      unseen.set(key, trimResource(answer));
      writtenMs.set(key, nowMs());
      for (const condition of findTransitions(before.conditions ?? [], after.conditions ?? [])) {
        events.record(object, isBad(condition) ? 'Warning' : 'Normal', condition.reason, condition.message);
      }
    });
  };

  return {
    report,
    current: (kind, name) => statusOf(newest(kind, name)),
    forgetPast: () => {
      for (const [key, object] of unseen) {
        const { kind, name } = partsOf(key);
        const seen = options.object(kind, name);
        if (seen === undefined || !isNewer(object, seen)) unseen.delete(key);
      }
      for (const key of writtenMs.keys()) {
        const { kind, name } = partsOf(key);
        if (!wasWrittenLately(kind, key) || options.object(kind, name) === undefined) writtenMs.delete(key);
      }
    },
  };
}

/**
 * Returns whether `a` is a later version of the same object as `b`. A resourceVersion is a growing number of any
 * length.
 */
function isNewer(a: KubeObject, b: KubeObject): boolean {
  const [left, right] = [a, b].map(({ metadata }) => metadata.resourceVersion ?? '') as [string, string];
  const sameObject = a.metadata.uid === b.metadata.uid;
  return sameObject && (left.length === right.length ? left > right : left.length > right.length);
}

function isBeingDeleted({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function statusOf(object: KubeObject | undefined): AnyStatus {
  return object?.status ?? {};
}

/**
 * Sends the status and returns the updated object. Returns undefined if the object was deleted, or replaced by another
 * object of the same name.
 */
async function send(
  api: Pick<KubeApi, 'applyStatus'>,
  kind: ReconciledKind,
  { metadata: { name, uid } }: KubeObject,
  status: AnyStatus,
): Promise<KubeObject | undefined> {
  const type = TYPES[kind];
  const metadata = { name, ...(uid !== undefined && { uid }) };
  try {
    return await api.applyStatus(type, { apiVersion: apiVersionOf(type), kind, metadata, status });
  } catch (error) {
    if (error instanceof KubernetesError && (error.status === 404 || error.status === 409)) return undefined;
    throw error;
  }
}
