import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '@svc-asr/ledger';
import { eventually } from '../../test/support/eventually.ts';
import type { Timeline } from './timeline.ts';

/** What a primary reports about itself and its replicas. */
export interface Replication {
  /** Port of the primary. */
  readonly port: number;
  /** Number of bytes that the primary has sent to its replicas. */
  readonly offset: number;
  /** Number of bytes that each replica has confirmed. Replicas that are still copying the data are left out. */
  readonly replicas: readonly number[];
}

/** A period whose writes may have been lost by a failover. Times are milliseconds since the start of the run. */
export interface LostTail {
  readonly fromMs: number;
  /** Infinity while the failover is not complete. */
  toMs: number;
}

/** Number of replicas of each primary. */
const REPLICAS = 2;
const POLL_MS = 100;
/** After the last fault, a former primary follows the new one within this time. */
const COMPLETE_WITHIN_MS = 60_000;

/** Reads the state of the primary that the ledger uses. Rejects while there is none. */
export async function readReplication({ link }: Ledger): Promise<Replication> {
  return parseReplication(String(await link.send('', ['INFO', 'everything'])));
}

/** Parses the reply of INFO. */
export function parseReplication(info: string): Replication {
  const read = (pattern: RegExp) => Number(pattern.exec(info)?.[1] ?? NaN);
  const replicas = [...info.matchAll(/^slave\d+:.*state=online,offset=(\d+)/gm)].map(([, offset]) => Number(offset));
  return { port: read(/^tcp_port:(\d+)/m), offset: read(/^master_repl_offset:(\d+)/m), replicas };
}

/** Returns whether both replicas have copied the data of their primary. */
export function isWhole({ replicas }: Replication): boolean {
  return replicas.length === REPLICAS && replicas.every((offset) => offset > 0);
}

/** Finds out which writes failovers may have lost, from what the primaries report. */
export class TailFinder {
  readonly tails: LostTail[] = [];
  /** All writes before this time are known to be on all servers. */
  #copiedAtMs = 0;
  /** Reports of the current primary whose offsets the replicas have not confirmed yet. */
  #pending: { readonly offset: number; readonly atMs: number }[] = [];
  #port: number | undefined;

  /**
   * Adds a report of the present primary. Returns the period of possibly lost writes that starts or ends with this
   * report.
   */
  add(report: Replication, atMs: number): LostTail | undefined {
    const isPromoted = this.#port !== undefined && this.#port !== report.port;
    this.#port = report.port;
    let open = this.tails.find(({ toMs }) => toMs === Infinity);
    if (isPromoted) this.#pending = [];
    if (isPromoted && open === undefined) {
      open = { fromMs: this.#copiedAtMs, toMs: Infinity };
      this.tails.push(open);
      return open;
    }
    this.#pending.push({ offset: report.offset, atMs });
    if (!isWhole(report)) return undefined;
    const confirmed = this.#pending.filter(({ offset }) => offset <= Math.min(...report.replicas)).at(-1);
    if (confirmed === undefined) return undefined;
    this.#copiedAtMs = confirmed.atMs;
    this.#pending = this.#pending.filter((other) => other.atMs > confirmed.atMs);
    if (open !== undefined) open.toMs = atMs;
    return open;
  }
}

/** Watches the primary during a run. */
export class ReplicationWatch {
  readonly #finder = new TailFinder();
  readonly #timeline: Timeline;
  #isStopped = false;
  readonly #loop: Promise<void>;

  /** `onComplete` is called after each failover, with the period whose writes it may have lost. */
  constructor(ledger: Ledger, timeline: Timeline, onComplete: (tail: LostTail) => void) {
    this.#timeline = timeline;
    this.#loop = this.#watch(ledger, onComplete);
  }

  get tails(): readonly LostTail[] {
    return this.#finder.tails;
  }

  /** Waits until the last failover is complete, and stops. */
  async stop(): Promise<void> {
    await eventually('all servers follow the primary', COMPLETE_WITHIN_MS, () => {
      return this.tails.every(({ toMs }) => toMs < Infinity);
    }).catch((error: unknown) => this.#timeline.violate(String(error)));
    this.#isStopped = true;
    await this.#loop;
  }

  async #watch(ledger: Ledger, onComplete: (tail: LostTail) => void): Promise<void> {
    const timeline = this.#timeline;
    while (!this.#isStopped) {
      const askedAtMs = timeline.nowMs;
      const report = await readReplication(ledger).catch(() => undefined);
      const tail = report === undefined ? undefined : this.#finder.add(report, askedAtMs);
      if (tail?.toMs === Infinity) timeline.add(`port ${report?.port} is the primary`);
      else if (tail !== undefined) {
        const ms = Math.round(tail.toMs - tail.fromMs);
        timeline.add(`all servers follow the new primary. Writes of ${ms} ms may be lost`);
        onComplete(tail);
      }
      await sleep(POLL_MS);
    }
  }
}
