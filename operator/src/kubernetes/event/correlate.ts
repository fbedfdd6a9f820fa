import { createHash } from 'node:crypto';
import type { KubeObject } from '@svc-asr/kubernetes';
import { createRecent } from './recent.ts';

export type EventType = 'Normal' | 'Warning';

/** A single occurrence of an event. */
export interface Occurrence {
  object: KubeObject;
  type: EventType;
  reason: string;
  message: string;
  atMs: number;
}

/** An event to write. It is either new, or it increases the count of an existing event. */
export interface CorrelatedEvent extends Occurrence {
  /** Name of the Event object. */
  name: string;
  /** 1 for a new event. */
  count: number;
  firstMs: number;
}

/**
 * Limits of client-go. For each object, 25 events are written without delay, and then at most one per five minutes.
 * Events of one object with the same type and reason are combined if they have more than 10 different messages. The
 * number of different messages restarts at zero after ten minutes without an event of this object, type and reason.
 */
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

/**
 * Creates a correlator. Its `take` returns the event to write for an occurrence. It returns undefined if the limits
 * require that the occurrence is dropped.
 */
export function createCorrelator(): { take: (occurrence: Occurrence) => CorrelatedEvent | undefined } {
  const budgets = createRecent<Budget>(LIMITS.remembered);
  const groups = createRecent<Alike>(LIMITS.remembered);
  const known = createRecent<Known>(LIMITS.remembered);

  /**
   * Takes one of the tokens of an object. The tokens limit the number of events about the object, to protect the API
   * server. Returns false if no token is left.
   */
  function takeToken(object: string, atMs: number): boolean {
    const { tokens, atMs: beforeMs } = budgets.get(object) ?? { tokens: LIMITS.burst, atMs };
    const filled = Math.min(LIMITS.burst, tokens + (atMs - beforeMs) / LIMITS.refillMs);
    budgets.put(object, { tokens: filled >= 1 ? filled - 1 : filled, atMs });
    return filled >= 1;
  }

  /**
   * Records a message of a group, which consists of the events of one object with the same type and reason. Returns
   * true if the group has so many different messages that its events are combined.
   */
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
      if (!takeToken(about, atMs)) return undefined;
      const name = before?.name ?? nameOf(object.metadata.name, key, atMs);
      const next = { name, count: (before?.count ?? 0) + 1, firstMs: before?.firstMs ?? atMs };
      known.put(key, next);
      const message = combined ? `(combined from similar events): ${occurrence.message}` : occurrence.message;
      return { ...occurrence, message, ...next };
    },
  };
}

/** Builds the name of an event: the object's name with a unique suffix. */
function nameOf(object: string, key: string, atMs: number): string {
  const hash = createHash('sha256').update(`${key} ${atMs}`).digest('hex').slice(0, 16);
  return `${object}.${hash}`;
}
