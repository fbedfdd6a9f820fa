import type { Logger } from '@svc-asr/runtime';
import type { Clock } from '../queue/clock.ts';
import { systemClock } from '../queue/clock.ts';
import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';
import { heldUntilMs, observe } from './election/observation.ts';
import type { Observation } from './election/observation.ts';
import { buildLease, readRecord, releaseRecord, takeRecord } from './election/record.ts';
import type { LeaseRecord } from './election/record.ts';
import { createTerm } from './election/term.ts';
import type { Term } from './election/term.ts';
import type { Gate } from './gate.ts';
import { wait } from './reflect/wait.ts';

export interface ElectorOptions {
  /** Client for the Lease. The client must not retry requests, and its timeout must be shorter than `renewMs`. */
  api: Pick<KubeApi, 'get' | 'create' | 'replace'>;
  /** Name of the Lease. */
  name: string;
  /** Identity of this process. A restarted process has a new one. */
  identity: string;
  /** Time without a renewal after which other processes may take over the lease. */
  leaseSeconds: number;
  /**
   * Time without renewal after which a leader stops writing. Writes that it has already sent have the time until the
   * end of the lease to complete.
   */
  renewMs: number;
  /** Time between two attempts to acquire or renew the lease. */
  retryMs: number;
  /** Called when this process becomes the leader for the first time. */
  onElected: () => void;
  /**
   * Called when this process was elected and then finds that it does not hold the lease any more. Its state may be
   * outdated, so it must exit. The gate stays closed.
   */
  onLost: (reason: string) => void;
  logger: Logger;
  clock?: Clock;
  /**
   * Returns the wall clock in milliseconds since 1970. The Lease shows it to readers, but the election does not use it.
   */
  wallMs?: () => number;
  random?: () => number;
}

/** Maximum random extension of the time between two attempts, as a share of that time. */
const JITTER = 0.2;

/**
 * Takes part in the leader election of an installation. It follows the rules by which client-go uses a Lease, with one
 * difference. A leader that cannot reach the API server stops writing. It resumes when it reaches the API server again
 * and the lease is still its own. In that case no other process was the leader in between. A takeover would have
 * changed the lease, and a renewal fails after any change.
 *
 * | the lease | this process |
 * |-----------|--------------|
 * | is free or expired | takes it and is elected |
 * | belongs to another process | stands by |
 * | is ours and was renewed | is the leader; the gate is open |
 * | is ours, but was not renewed for `renewMs` | closes the gate until it renews or loses the lease |
 * | was ours, and was taken or deleted | loses leadership permanently |
 */
export class Elector {
  readonly gate: Gate;
  readonly #options: ElectorOptions;
  readonly #clock: Clock;
  readonly #wallMs: () => number;
  readonly #random: () => number;
  readonly #term: Term;
  readonly #stopping = new AbortController();
  /** The Lease as this process last wrote it. */
  #own: KubeObject | undefined;
  #seen: Observation | undefined;
  #elected = false;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ElectorOptions) {
    const { name, renewMs, logger, clock = systemClock, wallMs = Date.now, random = Math.random } = options;
    this.#options = options;
    this.#clock = clock;
    this.#wallMs = wallMs;
    this.#random = random;
    this.#term = createTerm(clock, renewMs, () =>
      logger.warn({ resource: `Lease/${name}` }, `the lease could not be renewed for ${renewMs} ms; writes are paused`),
    );
    this.gate = { isOpen: this.#term.isOpen, signal: this.#term.signal };
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Releases the lease, so that another process can acquire it with its next attempt. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#release();
  }

  async #run(): Promise<void> {
    const { name, logger } = this.#options;
    let failing = false;
    while (!this.#isOver()) {
      try {
        await this.#attempt();
        failing = false;
      } catch (err) {
        // If two candidates write a free lease at the same time, one of them gets status 409, which is normal. Of
        // consecutive failures, only the first is logged as a warning.
        const level = failing || isStatus(err, 409) ? 'debug' : 'warn';
        // eslint-disable-next-line no-useless-assignment -- oxlint does not see that the next round reads it
        failing = true;
        logger[level]({ err, resource: `Lease/${name}` }, 'the lease could not be acquired or renewed; retrying');
      }
      await wait(this.#clock, this.#pauseMs(), this.#stopping.signal);
    }
  }

  #isOver(): boolean {
    return this.#stopping.signal.aborted || this.#term.isOver();
  }

  /** Renews the lease if it is ours. Acquires it if it is free or expired, unless this process was elected before. */
  async #attempt(): Promise<void> {
    const { api, name, identity } = this.#options;
    if (this.#own !== undefined && (await this.#renew(this.#own))) return;
    const found = await api.get(TYPES.Lease, name);
    const record = found && readRecord(found);
    if (this.#elected && record?.holder !== identity) {
      this.#lose(record === undefined ? 'the lease was deleted' : `${record.holder || 'no process'} holds the lease`);
      return;
    }
    if (record !== undefined && this.#isHeldByOther(record)) return;
    if (!this.#isOver()) await this.#acquire(found);
  }

  /** Renews our lease. Returns false if another client changed or deleted it, so that it must be read again. */
  async #renew(own: KubeObject): Promise<boolean> {
    try {
      await this.#acquire(own);
      return true;
    } catch (error) {
      if (isStatus(error, 409) || isStatus(error, 404)) return false;
      throw error;
    }
  }

  /** Writes the lease with our identity, in place of the version that was read. */
  async #acquire(before: KubeObject | undefined): Promise<void> {
    const { api, name, identity, leaseSeconds, onElected } = this.#options;
    const sentMs = this.#clock.nowMs();
    const record = takeRecord(before && readRecord(before), identity, leaseSeconds, this.#wallMs());
    const next = buildLease(name, record, before);
    this.#own = before === undefined ? await api.create(TYPES.Lease, next) : await api.replace(TYPES.Lease, next);
    this.#seen = observe(this.#seen, readRecord(this.#own), this.#clock.nowMs());
    // The term counts from the time before the request. Other processes count from the time at which they read the new
    // record, which is later. The term therefore ends before another process can take over.
    this.#term.renew(sentMs);
    if (this.#elected || !this.#term.isOpen()) return;
    this.#elected = true;
    onElected();
  }

  #isHeldByOther(record: LeaseRecord): boolean {
    this.#seen = observe(this.#seen, record, this.#clock.nowMs());
    const untilMs = heldUntilMs(this.#seen, this.#options.identity);
    return untilMs !== undefined && untilMs > this.#clock.nowMs();
  }

  #lose(reason: string): void {
    this.#term.end();
    this.#options.onLost(reason);
  }

  /**
   * Returns the time until the next attempt. If another process holds the lease, the attempt is made at the latest when
   * that lease expires.
   */
  #pauseMs(): number {
    const { identity, retryMs } = this.#options;
    const spreadMs = retryMs * (1 + this.#random() * JITTER);
    const untilMs = this.#seen && heldUntilMs(this.#seen, identity);
    return untilMs === undefined ? spreadMs : Math.max(1, Math.min(spreadMs, untilMs - this.#clock.nowMs()));
  }

  async #release(): Promise<void> {
    const { api, name, logger } = this.#options;
    const open = this.#term.isOpen();
    this.#term.end();
    if (this.#own === undefined || !open) return;
    const record = releaseRecord(readRecord(this.#own), this.#wallMs());
    try {
      await api.replace(TYPES.Lease, buildLease(name, record, this.#own));
    } catch (err) {
      logger.warn({ err, resource: `Lease/${name}` }, 'the lease could not be released; others wait until it expires');
    }
  }
}

function isStatus(error: unknown, status: number): boolean {
  return error instanceof KubernetesError && error.status === status;
}
