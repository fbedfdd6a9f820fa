import { realTimeAt } from './pace.ts';
import type { Pace } from './pace.ts';

/** A stream with a window that is ready to run. */
export interface Ready {
  readonly context: string;
  readonly chunkMs: number;
  readonly pace: Pace;
}

/** Streams of one context. */
interface Waiting<T> {
  /** Streams at real-time pace, in the order in which they became ready. The first `head` entries were taken. */
  readonly current: { item: T; sinceMs: number }[];
  head: number;
  /** Streams that are ahead of real time, ordered by the time at which they will no longer be. */
  readonly ahead: { item: T; untilMs: number }[];
}

/** Number of taken entries after which the list of a context is compacted. */
const COMPACT_AT = 1024;

/**
 * Streams with a window that is ready to run. Streams at real-time pace come first, ordered by how long they have been
 * ready. Streams that are ahead of real time fill the remaining places of a batch, the least ahead first. The cost of
 * adding and taking does not depend on the number of open streams.
 */
export class ReadyQueue<T extends Ready> {
  readonly #contexts = new Map<string, Waiting<T>>();

  /** Adds a stream. The caller ensures that no stream is in the queue twice. */
  add(item: T, nowMs: number): void {
    const waiting = this.#waitingFor(item.context);
    const untilMs = realTimeAt(item.pace, item.chunkMs);
    if (untilMs <= nowMs) waiting.current.push({ item, sinceMs: nowMs });
    else insert(waiting.ahead, { item, untilMs });
  }

  /** Returns the number of streams that the next batch could contain. */
  size(nowMs: number): number {
    const waiting = this.#next(nowMs);
    return waiting === undefined ? 0 : waiting.current.length - waiting.head + waiting.ahead.length;
  }

  /** Returns the number of streams at real-time pace that have been ready since this time or longer. */
  countSince(sinceMs: number): number {
    let count = 0;
    for (const { current, head } of this.#contexts.values()) {
      for (let i = head; (current[i]?.sinceMs ?? Infinity) <= sinceMs; i++) count++;
    }
    return count;
  }

  /** Removes and returns the streams of the next batch: all of one context, at most `max`, without closed streams. */
  take(max: number, nowMs: number, isOpen: (item: T) => boolean): T[] {
    const batch: T[] = [];
    for (let waiting = this.#next(nowMs); waiting !== undefined; waiting = this.#next(nowMs)) {
      while (batch.length < max && waiting.head < waiting.current.length) {
        const item = waiting.current[waiting.head++]?.item;
        if (item !== undefined && isOpen(item)) batch.push(item);
      }
      const places = max - batch.length;
      for (const { item } of waiting.ahead.splice(0, places)) if (isOpen(item)) batch.push(item);
      compact(waiting);
      if (batch.length > 0) break;
    }
    return batch;
  }

  /** Returns the context with the stream that has been ready longest, or else with the stream that is least ahead. */
  #next(nowMs: number): Waiting<T> | undefined {
    let best: Waiting<T> | undefined;
    let bestMs = Infinity;
    for (const waiting of this.#contexts.values()) {
      let due = 0;
      for (; (waiting.ahead[due]?.untilMs ?? Infinity) <= nowMs; due++);
      for (const { item } of waiting.ahead.splice(0, due)) waiting.current.push({ item, sinceMs: nowMs });
      const sinceMs = waiting.current[waiting.head]?.sinceMs ?? waiting.ahead[0]?.untilMs ?? Infinity;
      if (sinceMs < bestMs) [best, bestMs] = [waiting, sinceMs];
    }
    return best;
  }

  #waitingFor(context: string): Waiting<T> {
    const known = this.#contexts.get(context);
    if (known !== undefined) return known;
    const waiting = { current: [], head: 0, ahead: [] };
    this.#contexts.set(context, waiting);
    return waiting;
  }
}

function insert<T extends { untilMs: number }>(list: T[], entry: T): void {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.untilMs ?? Infinity) <= entry.untilMs) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, entry);
}

/** Drops taken entries. Not each time, because it moves the others. */
function compact(waiting: { current: unknown[]; head: number }): void {
  if (waiting.head < waiting.current.length && waiting.head < COMPACT_AT) return;
  waiting.current.splice(0, waiting.head);
  waiting.head = 0;
}
