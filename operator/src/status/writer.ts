import type { Kind } from '@svc-asr/core';
import { KubernetesError, apiVersionOf, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';
import type { EventRecorder } from '../kubernetes/events.ts';
import { keyOf, partsOf } from '../source/source.ts';
import type { ResourceKey } from '../source/source.ts';
import { mergeStatus, urgencyOf } from './change.ts';
import type { AnyStatus, StatusNews, StatusOf } from './change.ts';
import { findTransitions, isBad } from './conditions.ts';

/** Where the state of resources is told. */
export interface StatusWriter {
  /** Writes what is new, if anything is. */
  report: <K extends Kind>(kind: K, name: string, news: StatusNews<K>) => Promise<void>;
  /** What stands there now; empty: nothing yet. */
  current: <K extends Kind>(kind: K, name: string) => StatusOf[K];
  /** Lets go of what was written into objects that are gone. */
  forgetGone: () => void;
}

export interface StatusWriterOptions {
  api: Pick<KubeApi, 'applyStatus'>;
  events: Pick<EventRecorder, 'record'>;
  /** The object as it was last seen. */
  object: (kind: Kind, name: string) => KubeObject | undefined;
  /** What follows the traffic is written no more often than this. */
  slowMs: Readonly<Record<Kind, number>>;
  /** By a clock of which only differences mean something. */
  nowMs: () => number;
  wallMs?: () => number;
}

/** What was written last. */
interface Written {
  object: KubeObject;
  atMs: number;
}

/** Writes into the status subresource: only what differs from what stands there, so that a look without news writes nothing. */
export function createStatusWriter(options: StatusWriterOptions): StatusWriter {
  const { api, events, slowMs, nowMs, wallMs = Date.now } = options;
  const written = new Map<ResourceKey, Written>();
  const turns = new Map<ResourceKey, Promise<void>>();

  /** News of one's own write take a moment; meanwhile it counts as seen. */
  function newest(kind: Kind, name: string): KubeObject | undefined {
    const seen = options.object(kind, name);
    const last = written.get(keyOf(kind, name));
    return seen !== undefined && last !== undefined && isNewer(last.object, seen) ? last.object : seen;
  }

  /** Reports of one resource are told one after the other, so that none repeats what the one before it wrote. */
  function inTurn(key: ResourceKey, tell: () => Promise<void>): Promise<void> {
    const turn = (turns.get(key) ?? Promise.resolve()).catch(() => undefined).then(tell);
    turns.set(key, turn);
    const leave = () => {
      if (turns.get(key) === turn) turns.delete(key);
    };
    turn.then(leave, leave);
    return turn;
  }

  const report: StatusWriter['report'] = (kind, name, news) => {
    const key = keyOf(kind, name);
    return inTurn(key, async () => {
      const object = newest(kind, name);
      if (object === undefined || isLeaving(object) !== (news.leaving === true)) return;
      const before = statusOf(object);
      const after = mergeStatus(before, news, object.metadata.generation, wallMs());
      const urgency = urgencyOf(kind, before, after);
      const lastMs = written.get(key)?.atMs ?? -Infinity;
      if (urgency === 'none' || (urgency === 'later' && nowMs() - lastMs < slowMs[kind])) return;
      const answer = await send(api, kind, object, after);
      if (answer === undefined) return;
      written.set(key, { object: answer, atMs: nowMs() });
      for (const condition of findTransitions(before.conditions ?? [], after.conditions ?? [])) {
        events.record(object, isBad(condition) ? 'Warning' : 'Normal', condition.reason, condition.message);
      }
    });
  };

  return {
    report,
    current: (kind, name) => statusOf(newest(kind, name)),
    forgetGone: () => {
      for (const key of written.keys()) {
        const { kind, name } = partsOf(key);
        if (options.object(kind, name) === undefined) written.delete(key);
      }
    },
  };
}

/** Versions of one object are numbers that grow, of any length. */
function isNewer(a: KubeObject, b: KubeObject): boolean {
  const [left, right] = [a, b].map(({ metadata }) => metadata.resourceVersion ?? '') as [string, string];
  const sameObject = a.metadata.uid === b.metadata.uid;
  return sameObject && (left.length === right.length ? left > right : left.length > right.length);
}

function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function statusOf(object: KubeObject | undefined): AnyStatus {
  return object?.status ?? {};
}

/** Undefined: the object is gone, or another one has its name; then there is nothing to tell. */
async function send(
  api: Pick<KubeApi, 'applyStatus'>,
  kind: Kind,
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
