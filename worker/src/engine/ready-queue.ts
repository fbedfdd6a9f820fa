import { Fifo } from './fifo.ts';
import { isLive, spareUntil } from './pace.ts';
import type { Pace } from './pace.ts';
import { SpareTime } from './spare-time.ts';

/** A stream with a window that is ready to run. */
export interface Ready {
  readonly context: string;
  readonly chunkMs: number;
  readonly pace: Pace;
  /** Number of milliseconds by which the audio has arrived ahead of real time. Negative if the audio is behind. */
  readonly earlyMs: number;
  /**
   * Duration of the received audio that follows the end of the window. If the audio arrives in real time, the window
   * has been ready for this time.
   */
  readonly backlogMs: number;
}

interface Entry<T> {
  readonly item: T;
  /** Time at which the stream was added. */
  readonly sinceMs: number;
  /** Time until which the window of the stream counts as punctual. */
  readonly punctualUntilMs: number;
}

/** Streams of one context. */
interface Waiting<T> {
  /**
   * Real-time streams whose window has been ready for longer than PUNCTUAL_MS, in the order in which they became late.
   */
  readonly late: Fifo<Entry<T>>;
  /** All other real-time streams, in the order in which they became ready. */
  readonly punctual: Fifo<Entry<T>>;
  /** Streams that are ahead of real time, ordered by the time until which they are ahead. */
  readonly ahead: { item: T; untilMs: number }[];
}

/**
 * Time for which a ready window counts as punctual. If its run starts within this time, its result arrives within 300
 * ms.
 */
const PUNCTUAL_MS = 150;
/**
 * In one out of LATE_EVERY batches, late streams come first. Otherwise punctual streams could prevent late streams from
 * running at all.
 */
const LATE_EVERY = 8;
/** Rank of a context that has no streams. */
const NO_RANK = [3, Infinity] as const;

/**
 * Streams with a window that is ready to run. Punctual streams come first, in the order in which they became ready.
 * Late streams follow. When a machine slows down, some streams are late until enough streams have ended. If streams ran
 * in the order of arrival, this delay would spread to all of them. In every eighth batch, late streams come first.
 * Streams that are ahead of real time run in separate batches when no other stream is ready. Among them, the stream
 * that is least ahead comes first. `SpareTime` limits these runs. If batches are padded, streams that are ahead also
 * fill unused places of a batch, because a padded batch takes the same time. The cost of adding and taking does not
 * depend on the number of open streams.
 */
export class ReadyQueue<T extends Ready> {
  readonly #isPadded: boolean;
  readonly #contexts = new Map<string, Waiting<T>>();
  readonly #spare = new SpareTime();
  /** Number of batches since the last batch in which late streams came first. */
  #turn = 0;

  constructor({ isPadded }: { isPadded: boolean }) {
    this.#isPadded = isPadded;
  }

  /** Adds a stream. The caller ensures that no stream is in the queue twice. */
  add(item: T, nowMs: number): void {
    if (isLive(item, item.backlogMs)) this.#spare.sawLive(nowMs);
    const waiting = this.#waitingFor(item.context);
    const untilMs = spareUntil(item);
    if (untilMs <= nowMs) enqueue(waiting, item, nowMs);
    else insert(waiting.ahead, { item, untilMs });
  }

  /** Returns the number of queued streams that can be in the next batch. */
  size(nowMs: number): number {
    const waiting = this.#next(nowMs)?.waiting;
    if (waiting === undefined) return 0;
    const realTime = waiting.late.length + waiting.punctual.length;
    return this.#isPadded || realTime === 0 ? realTime + waiting.ahead.length : realTime;
  }

  /** Records a run in which all streams were ahead of real time. */
  ranAhead(startMs: number, endMs: number): void {
    this.#spare.used(startMs, endMs);
  }

  /**
   * Returns the time from which the next stream that is ahead of real time may run. Infinity if there is no such
   * stream.
   */
  aheadFromMs(nowMs: number): number {
    const firstMs = Math.min(...[...this.#contexts.values()].map(({ ahead }) => ahead[0]?.untilMs ?? Infinity));
    return firstMs === Infinity ? Infinity : Math.min(firstMs, this.#spare.fromMs(nowMs));
  }

  /** Returns the number of real-time streams that became ready at or before this time. */
  countSince(sinceMs: number): number {
    let count = 0;
    for (const { late, punctual } of this.#contexts.values()) {
      for (const list of [late, punctual]) count += list.count((entry) => entry.sinceMs <= sinceMs);
    }
    return count;
  }

  /**
   * Removes and returns the streams of the next batch. Drops closed streams. All streams have the same context, and
   * `maxOf` returns their maximum number for this context.
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
      const room = this.#aheadRoom(batch.length, max, nowMs);
      for (const { item } of waiting.ahead.splice(0, room)) if (isOpen(item)) batch.push(item);
      this.#turn = isLateTurn ? 0 : this.#turn + 1;
    }
    return batch;
  }

  /**
   * Returns the number of streams ahead of real time that a batch may contain in addition to `taken` other streams. In
   * a padded batch, they use all remaining places. A batch that is not padded contains them only if `taken` is 0. If
   * the worker also has live streams, such a batch contains only one stream. A live stream then waits only for a short
   * run.
   */
  #aheadRoom(taken: number, max: number, nowMs: number): number {
    if (this.#isPadded) return max - taken;
    if (taken > 0 || nowMs < this.#spare.fromMs(nowMs)) return 0;
    return this.#spare.hasLive(nowMs) ? 1 : max;
  }

  get #isLateTurn(): boolean {
    return this.#turn >= LATE_EVERY - 1;
  }

  /**
   * Returns the context of the next batch. A context with punctual streams comes first, then one with late streams,
   * then one with streams that are ahead of real time. In every eighth batch, late streams come before punctual ones.
   * Among contexts with punctual or late streams, the stream that has been ready longest decides. Among contexts with
   * only streams that are ahead, the stream that is least ahead decides.
   */
  #next(nowMs: number): { context: string; waiting: Waiting<T> } | undefined {
    let best: { context: string; waiting: Waiting<T> } | undefined;
    let bestRank: readonly [number, number] = NO_RANK;
    for (const [context, waiting] of this.#contexts) {
      age(waiting, nowMs);
      const rank = this.#rankOf(waiting, nowMs);
      if (rank[0] > bestRank[0] || (rank[0] === bestRank[0] && rank[1] >= bestRank[1])) continue;
      [best, bestRank] = [{ context, waiting }, rank];
    }
    return best;
  }

  /**
   * Returns the rank of a context for the next batch. The rank consists of the number of a group (punctual, late or
   * ahead) and a time within the group. The lowest rank comes first.
   */
  #rankOf({ late, punctual, ahead }: Waiting<T>, nowMs: number): readonly [number, number] {
    const [first, second] = this.#isLateTurn ? [late, punctual] : [punctual, late];
    if (first.first !== undefined) return [0, first.first.sinceMs];
    if (second.first !== undefined) return [1, second.first.sinceMs];
    if (ahead[0] === undefined || nowMs < this.#spare.fromMs(nowMs)) return NO_RANK;
    return [2, ahead[0].untilMs];
  }

  #waitingFor(context: string): Waiting<T> {
    const known = this.#contexts.get(context);
    if (known !== undefined) return known;
    const waiting = { late: new Fifo<Entry<T>>(), punctual: new Fifo<Entry<T>>(), ahead: [] };
    this.#contexts.set(context, waiting);
    return waiting;
  }
}

/** Moves streams that are no longer ahead of real time, or no longer punctual, to the list for their new status. */
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

/** Adds a real-time stream. */
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
