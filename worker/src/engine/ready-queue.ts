import { Fifo } from './fifo.ts';
import { realTimeAt } from './pace.ts';
import type { Pace } from './pace.ts';

/** A stream with a window that is ready to run. */
export interface Ready {
  readonly context: string;
  readonly chunkMs: number;
  readonly pace: Pace;
  /** Audio that has arrived after the window. A stream at real-time pace has been ready for this long. */
  readonly backlogMs: number;
}

interface Entry<T> {
  readonly item: T;
  /** Time at which the stream was added. */
  readonly sinceMs: number;
  /** Time until which its window is punctual. */
  readonly punctualUntilMs: number;
}

/** Streams of one context. */
interface Waiting<T> {
  /** Streams at real-time pace whose window was ready for longer than PUNCTUAL_MS, in the order of becoming late. */
  readonly late: Fifo<Entry<T>>;
  /** The other streams at real-time pace, in the order in which they became ready. */
  readonly punctual: Fifo<Entry<T>>;
  /** Streams that are ahead of real time, ordered by the time at which they will no longer be. */
  readonly ahead: { item: T; untilMs: number }[];
}

/** Longest time that a window may wait so that its result can still arrive within 300 ms. */
const PUNCTUAL_MS = 150;
/** In one of this many batches the late streams come first, so that punctual streams never starve them. */
const LATE_EVERY = 8;
/** Rank of a context without streams. */
const NO_RANK = [3, Infinity] as const;

/**
 * Streams with a window that is ready to run. Punctual streams come first, ordered by how long they have been ready.
 * Late streams come next. When a machine slows down, some streams are late until enough of them have ended. If streams
 * ran in the order of arrival, this delay would spread to all of them. In every eighth batch late streams come first.
 * Streams that are ahead of real time fill the remaining places of a batch, the least ahead first. The cost of adding
 * and taking does not depend on the number of open streams.
 */
export class ReadyQueue<T extends Ready> {
  readonly #contexts = new Map<string, Waiting<T>>();
  /** Number of batches since late streams came first. */
  #turn = 0;

  /** Adds a stream. The caller ensures that no stream is in the queue twice. */
  add(item: T, nowMs: number): void {
    const waiting = this.#waitingFor(item.context);
    const untilMs = realTimeAt(item.pace, item.chunkMs);
    if (untilMs <= nowMs) enqueue(waiting, item, nowMs);
    else insert(waiting.ahead, { item, untilMs });
  }

  /** Returns the number of streams that the next batch could contain. */
  size(nowMs: number): number {
    const waiting = this.#next(nowMs)?.waiting;
    return waiting === undefined ? 0 : waiting.late.length + waiting.punctual.length + waiting.ahead.length;
  }

  /** Returns the number of streams at real-time pace that have been ready since this time or longer. */
  countSince(sinceMs: number): number {
    let count = 0;
    for (const { late, punctual } of this.#contexts.values()) {
      for (const list of [late, punctual]) count += list.count((entry) => entry.sinceMs <= sinceMs);
    }
    return count;
  }

  /**
   * Removes and returns the streams of the next batch: all of one context, at most `maxOf` of it, without closed
   * streams.
   */
  take(maxOf: (context: string) => number, nowMs: number, isOpen: (item: T) => boolean): T[] {
    const batch: T[] = [];
    for (let next = this.#next(nowMs); next !== undefined && batch.length === 0; next = this.#next(nowMs)) {
      const { context, waiting } = next;
      const max = maxOf(context);
      const isLateTurn = this.#isLateTurn;
      const lists = isLateTurn ? [waiting.late, waiting.punctual] : [waiting.punctual, waiting.late];
      for (const list of lists) {
        while (batch.length < max && list.length > 0) {
          const item = list.shift()?.item;
          if (item !== undefined && isOpen(item)) batch.push(item);
        }
      }
      for (const { item } of waiting.ahead.splice(0, max - batch.length)) if (isOpen(item)) batch.push(item);
      this.#turn = isLateTurn ? 0 : this.#turn + 1;
    }
    return batch;
  }

  get #isLateTurn(): boolean {
    return this.#turn >= LATE_EVERY - 1;
  }

  /**
   * Returns the context of the next batch. Punctual streams decide, then late streams, then streams that are ahead. If
   * it is the turn of late streams, they decide first. Among streams of a kind the one that is ready longest decides.
   */
  #next(nowMs: number): { context: string; waiting: Waiting<T> } | undefined {
    let best: { context: string; waiting: Waiting<T> } | undefined;
    let bestRank: readonly [number, number] = NO_RANK;
    for (const [context, waiting] of this.#contexts) {
      age(waiting, nowMs);
      const rank = this.#rankOf(waiting);
      if (rank[0] > bestRank[0] || (rank[0] === bestRank[0] && rank[1] >= bestRank[1])) continue;
      [best, bestRank] = [{ context, waiting }, rank];
    }
    return best;
  }

  /** Returns the place of a context in the order of the next batch: a class, and a time within the class. */
  #rankOf({ late, punctual, ahead }: Waiting<T>): readonly [number, number] {
    const [first, second] = this.#isLateTurn ? [late, punctual] : [punctual, late];
    if (first.first !== undefined) return [0, first.first.sinceMs];
    if (second.first !== undefined) return [1, second.first.sinceMs];
    return ahead[0] === undefined ? NO_RANK : [2, ahead[0].untilMs];
  }

  #waitingFor(context: string): Waiting<T> {
    const known = this.#contexts.get(context);
    if (known !== undefined) return known;
    const waiting = { late: new Fifo<Entry<T>>(), punctual: new Fifo<Entry<T>>(), ahead: [] };
    this.#contexts.set(context, waiting);
    return waiting;
  }
}

/** Moves streams that are no longer ahead of real time or no longer punctual. */
function age<T extends Ready>(waiting: Waiting<T>, nowMs: number): void {
  const { late, punctual, ahead } = waiting;
  let due = 0;
  for (; (ahead[due]?.untilMs ?? Infinity) <= nowMs; due++);
  for (const { item } of ahead.splice(0, due)) enqueue(waiting, item, nowMs);
  for (let { first } = punctual; first !== undefined && first.punctualUntilMs < nowMs; { first } = punctual) {
    late.push(first);
    punctual.shift();
  }
}

/** Adds a stream at real-time pace. */
function enqueue<T extends Ready>({ late, punctual }: Waiting<T>, item: T, nowMs: number): void {
  const entry = { item, sinceMs: nowMs, punctualUntilMs: nowMs - item.backlogMs + PUNCTUAL_MS };
  (entry.punctualUntilMs < nowMs ? late : punctual).push(entry);
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
