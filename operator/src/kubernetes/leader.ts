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
  /** Its requests must be tried once each and take no longer than a part of `renewMs`. */
  api: Pick<KubeApi, 'get' | 'create' | 'replace'>;
  /** Name of the Lease. */
  name: string;
  /** Of this process alone: one that is started again is another. */
  identity: string;
  /** How long the others wait for a leader that is silent. */
  leaseSeconds: number;
  /** A leader that could not renew for so long stops writing; the rest of the lease is for writes under way. */
  renewMs: number;
  /** Time between two tries. */
  retryMs: number;
  /** It leads for the first time. */
  onElected: () => void;
  /** Another one leads: what this process knows may be outdated, so it has to end. The gate is closed for ever. */
  onLost: (reason: string) => void;
  logger: Logger;
  clock?: Clock;
  /** Milliseconds since 1970, for people to read in the Lease. */
  wallMs?: () => number;
  random?: () => number;
}

/** Runs for the lead of all operators of an installation. */
export interface Elector {
  start: () => void;
  /** Lets the lease go, so that another one leads at once. */
  stop: () => Promise<void>;
  gate: Gate;
}

/** Retries are spread by up to this part of their time. */
const JITTER = 0.2;

/**
 * Makes an elector with the semantics of client-go's, on a Lease, but for one thing: a leader that cannot reach the API
 * server stops writing, and goes on when it can again and the lease is still its own. Nobody else led meanwhile: taking
 * the lease would have changed it, and a renewal is refused where anything changed.
 *
 * | the lease                 | this process                                                   |
 * |---------------------------|----------------------------------------------------------------|
 * | is free, or ran out       | takes it: elected                                              |
 * | is another's              | stands by; if it led before: lost                              |
 * | is ours, renewed lately   | leads, the gate is open                                        |
 * | is ours, not renewed for `renewMs` | the gate is closed until it is renewed, or lost       |
 */
export function createElector(options: ElectorOptions): Elector {
  const { api, name, identity, leaseSeconds, renewMs, retryMs, onElected, onLost, logger } = options;
  const { clock = systemClock, wallMs = Date.now, random = Math.random } = options;
  const stopping = new AbortController();
  const term = createTerm(clock, renewMs, () =>
    logger.warn({ resource: `Lease/${name}` }, `the lease could not be renewed for ${renewMs} ms: nothing is written`),
  );
  /** As it was when it was ours. */
  let own: KubeObject | undefined;
  let seen: Observation | undefined;
  let elected = false;
  let running: Promise<void> = Promise.resolve();
  const isOver = () => stopping.signal.aborted || term.isOver();

  function lose(reason: string): void {
    term.end();
    onLost(reason);
  }

  async function take(before: KubeObject | undefined): Promise<void> {
    const sentMs = clock.nowMs();
    const record = takeRecord(before && readRecord(before), identity, leaseSeconds, wallMs());
    const next = buildLease(name, record, before);
    own = before === undefined ? await api.create(TYPES.Lease, next) : await api.replace(TYPES.Lease, next);
    seen = observe(seen, readRecord(own), clock.nowMs());
    // From before the request was sent: others count from after it.
    term.renew(sentMs);
    if (elected || !term.isOpen()) return;
    elected = true;
    onElected();
  }

  /** Takes or renews the lease where that is allowed. */
  async function attempt(): Promise<void> {
    if (own !== undefined) {
      try {
        await take(own);
        return;
      } catch (error) {
        // Something changed in it: what, is to be looked at.
        if (!(error instanceof KubernetesError) || (error.status !== 409 && error.status !== 404)) throw error;
      }
    }
    const found = await api.get(TYPES.Lease, name);
    const record = found && readRecord(found);
    if (elected && record?.holder !== identity) {
      lose(record === undefined ? 'the lease was deleted' : `${record.holder || 'nobody'} holds the lease`);
      return;
    }
    if (record !== undefined) {
      seen = observe(seen, record, clock.nowMs());
      const untilMs = heldUntilMs(seen, identity);
      if (untilMs !== undefined && untilMs > clock.nowMs()) return;
    }
    if (!isOver()) await take(found);
  }

  /** No later than when the lease of another one runs out. */
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
        // Of two that take a free lease one gets 409: that is the election. Other failures are told once in a row.
        const level = failing || (err instanceof KubernetesError && err.status === 409) ? 'debug' : 'warn';
        failing = true;
        logger[level]({ err, resource: `Lease/${name}` }, 'the lease could not be taken or renewed; it is tried again');
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
      logger.warn({ err, resource: `Lease/${name}` }, 'the lease could not be let go: others wait until it runs out');
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
