import { createHash } from 'node:crypto';
import type { KubeObject } from '@svc-asr/kubernetes';
import { createRecent } from './recent.ts';

export type EventType = 'Normal' | 'Warning';

/** Something that happened once. */
export interface Occurrence {
  object: KubeObject;
  type: EventType;
  reason: string;
  message: string;
  atMs: number;
}

/** What is to be written: a new event, or one more of one that is there. */
export interface Told extends Occurrence {
  /** Of the event object. */
  name: string;
  /** 1: it is new. */
  count: number;
  firstMs: number;
}

/** The limits of client-go: a burst of 25 of an object, then one in five minutes; more than 10 alike within ten minutes are one. */
const LIMITS = { burst: 25, refillMs: 300_000, alike: 10, alikeMs: 600_000, remembered: 4096 };

interface Budget {
  tokens: number;
  atMs: number;
}
interface Alike {
  messages: Set<string>;
  atMs: number;
}
interface Known {
  name: string;
  count: number;
  firstMs: number;
}

/** Decides what of the occurrences is written, and as what; undefined: nothing. */
export function createCorrelator(): { take: (occurrence: Occurrence) => Told | undefined } {
  const budgets = createRecent<Budget>(LIMITS.remembered);
  const groups = createRecent<Alike>(LIMITS.remembered);
  const known = createRecent<Known>(LIMITS.remembered);

  /** One that tells too much about one object must not keep the API server busy. */
  function spends(object: string, atMs: number): boolean {
    const { tokens, atMs: beforeMs } = budgets.get(object) ?? { tokens: LIMITS.burst, atMs };
    const filled = Math.min(LIMITS.burst, tokens + (atMs - beforeMs) / LIMITS.refillMs);
    budgets.put(object, { tokens: filled >= 1 ? filled - 1 : filled, atMs });
    return filled >= 1;
  }

  /** Whether there were so many of this kind with different words that they are told as one. */
  function isCombined(group: string, message: string, atMs: number): boolean {
    const before = groups.get(group);
    const alike =
      before !== undefined && atMs - before.atMs <= LIMITS.alikeMs ? before : { messages: new Set<string>(), atMs };
    if (alike.messages.size <= LIMITS.alike) alike.messages.add(message);
    groups.put(group, { messages: alike.messages, atMs });
    return alike.messages.size > LIMITS.alike;
  }

  return {
    take: (occurrence) => {
      const { object, type, reason, atMs } = occurrence;
      const about = `${object.kind}/${object.metadata.name}/${object.metadata.uid ?? ''}`;
      const group = `${about} ${type} ${reason}`;
      const combined = isCombined(group, occurrence.message, atMs);
      const key = combined ? group : `${group} ${occurrence.message}`;
      const before = known.get(key);
      if (!spends(about, atMs)) return undefined;
      const name = before?.name ?? nameOf(object.metadata.name, key, atMs);
      const next = { name, count: (before?.count ?? 0) + 1, firstMs: before?.firstMs ?? atMs };
      known.put(key, next);
      const message = combined ? `(combined from similar events): ${occurrence.message}` : occurrence.message;
      return { ...occurrence, message, ...next };
    },
  };
}

/** Of the object's name, so that people know it by its name, and unlike any other's. */
function nameOf(object: string, key: string, atMs: number): string {
  const hash = createHash('sha256').update(`${key} ${atMs}`).digest('hex').slice(0, 16);
  return `${object}.${hash}`;
}
