import type { Logger } from '@svc-asr/runtime';
import type { Clock } from '../queue/clock.ts';
import { systemClock } from '../queue/clock.ts';
import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';
import { heldUntilMs, observe } from './election/observation.ts';
import type { Observation } from './election/observation.ts';
import { buildLease, readRecord, releaseRecord, takeRecord } from './election/record.ts';
import { createTerm } from './election/term.ts';
import type { Gate } from './gate.ts';
import { wait } from './reflect/wait.ts';

export interface ElectorOptions {
  /** Client for the Lease. It must try each request once and take only a part of `renewMs`. */
  api: Pick<KubeApi, 'get' | 'create' | 'replace'>;
  /** Name of the Lease. */
  name: string;
  /** Identity of this process. A restarted process has a new one. */
  identity: string;
  /** Time after the last renewal at which others may take over. */
  leaseSeconds: number;
  /** Time without renewal after which a leader stops writing. The rest of the lease is for writes in flight. */
  renewMs: number;
  /** Time between two attempts. */
  retryMs: number;
  /** Called when this process becomes the leader for the first time. */
  onElected: () => void;
  /**
   * Called when another process is the leader. The state of this process may be outdated, so it must exit. The gate
   * stays closed.
   */
  onLost: (reason: string) => void;
  logger: Logger;
  clock?: Clock;
  /** Milliseconds since 1970, for readers of the Lease. */
  wallMs?: () => number;
  random?: () => number;
}

/** Takes part in the leader election of an installation. */
export interface Elector {
  start: () => void;
  /** Releases the lease, so that another process becomes the leader at once. */
  stop: () => Promise<void>;
  gate: Gate;
}

/** Maximum random extension of a retry, as a share of its time. */
const JITTER = 0.2;

/**
 * Creates an elector with the semantics of client-go on a Lease, with one difference. A leader that cannot reach the
 * API server stops writing, and resumes when it can and the lease is still its own. No other process was the leader in
 * between: taking the lease would have changed it, and a renewal fails after any change.
 *
 * | the lease | this process |
 * |-----------|--------------|
 * | is free or expired | takes it and is elected |
 * | belongs to another process | stands by, or loses leadership if it was the leader |
 * | is ours and was renewed | is the leader; the gate is open |
 * | is ours, but was not renewed for `renewMs` | closes the gate until it renews or loses the lease |
 */
export function createElector(options: ElectorOptions): Elector {
  const { api, name, identity, leaseSeconds, renewMs, retryMs, onElected, onLost, logger } = options;
  const { clock = systemClock, wallMs = Date.now, random = Math.random } = options;
  const stopping = new AbortController();
  const term = createTerm(clock, renewMs, () =>
    logger.warn({ resource: `Lease/${name}` }, `the lease could not be renewed for ${renewMs} ms; writes are paused`),
  );
  /** The Lease as we last wrote it. */
  let own: KubeObject | undefined;
  let seen: Observation | undefined;
  let elected = false;
  let running: Promise<void> = Promise.resolve();
  const isOver = () => stopping.signal.aborted || term.isOver();

  function lose(reason: string): void {
    term.end();
    onLost(reason);
  }

  async function acquire(before: KubeObject | undefined): Promise<void> {
    const sentMs = clock.nowMs();
    const record = takeRecord(before && readRecord(before), identity, leaseSeconds, wallMs());
    const next = buildLease(name, record, before);
    own = before === undefined ? await api.create(TYPES.Lease, next) : await api.replace(TYPES.Lease, next);
    seen = observe(seen, readRecord(own), clock.nowMs());
    // Counted from before the request was sent, because others count from after it.
    term.renew(sentMs);
    if (elected || !term.isOpen()) return;
    elected = true;
    onElected();
  }

  /** Acquires or renews the lease if that is allowed. */
  async function attempt(): Promise<void> {
    if (own !== undefined) {
      try {
        await acquire(own);
        return;
      } catch (error) {
        // The lease was changed or deleted by another client, so it is read again.
        if (!(error instanceof KubernetesError) || (error.status !== 409 && error.status !== 404)) throw error;
      }
    }
    const found = await api.get(TYPES.Lease, name);
    const record = found && readRecord(found);
    if (elected && record?.holder !== identity) {
      lose(record === undefined ? 'the lease was deleted' : `${record.holder || 'no process'} holds the lease`);
      return;
    }
    if (record !== undefined) {
      seen = observe(seen, record, clock.nowMs());
      const untilMs = heldUntilMs(seen, identity);
      if (untilMs !== undefined && untilMs > clock.nowMs()) return;
    }
    if (!isOver()) await acquire(found);
  }

  /** Returns the time until the next attempt, at most until the lease of another holder expires. */
  function pauseMs(): number {
    const spreadMs = retryMs * (1 + random() * JITTER);
    const untilMs = seen && heldUntilMs(seen, identity);
    return untilMs === undefined ? spreadMs : Math.max(1, Math.min(spreadMs, untilMs - clock.nowMs()));
  }

  async function run(): Promise<void> {
    let failing = false;
    while (!isOver()) {
      try {
        await attempt();
        failing = false;
      } catch (err) {
        // Of two candidates that take a free lease, one gets 409. This is normal. Other failures are logged once in a
        // row.
        const level = failing || (err instanceof KubernetesError && err.status === 409) ? 'debug' : 'warn';
        failing = true;
        logger[level]({ err, resource: `Lease/${name}` }, 'the lease could not be acquired or renewed; retrying');
      }
      await wait(clock, pauseMs(), stopping.signal);
    }
  }

  async function release(): Promise<void> {
    const open = term.isOpen();
    term.end();
    if (own === undefined || !open) return;
    try {
      await api.replace(TYPES.Lease, buildLease(name, releaseRecord(readRecord(own), wallMs()), own));
    } catch (err) {
      logger.warn({ err, resource: `Lease/${name}` }, 'the lease could not be released; others wait until it expires');
    }
  }

  return {
    start: () => {
      running = run();
    },
    stop: async () => {
      stopping.abort();
      await running;
      await release();
    },
    gate: { isOpen: term.isOpen, signal: term.signal },
  };
}
