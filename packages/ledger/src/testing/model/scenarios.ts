import { creatorActor, gatewayActor } from './actors.ts';
import type { CreateActor } from './process.ts';

/** Processes of one exploration, and the tasks that run before it. docs/invariants.md describes each scenario. */
export interface Scenario {
  readonly processes: Readonly<Record<string, CreateActor>>;
  /** Tasks that run one after another before the exploration, as `PROCESS: TASK`. */
  readonly before: readonly string[];
  /** Tasks that have started when the exploration starts. Their first message is on its way. */
  readonly sent: readonly string[];
  /** Credit of the tenant in seconds. Each session reserves up to 10 s. */
  readonly creditSeconds: number;
  readonly concurrentSessions: number;
}

const reaper = gatewayActor('R', []);

export const SCENARIOS = {
  handshake: {
    processes: {
      A: gatewayActor('A', ['end s1']),
      B: gatewayActor('B', []),
      reaper,
      creator: creatorActor(),
    },
    before: ['creator: create s1', 'A: join', 'B: join'],
    sent: ['A: open s1', 'B: open s1', 'reaper: reap'],
    creditSeconds: 15,
    concurrentSessions: 1,
  },
  lease: {
    processes: { A: gatewayActor('A', ['end s1', 'renew']), reaper, creator: creatorActor() },
    before: ['creator: create s1', 'A: join'],
    sent: ['A: open s1', 'reaper: reap'],
    creditSeconds: 15,
    concurrentSessions: 1,
  },
  records: {
    processes: {
      A: gatewayActor('A', ['end s1', 'reconcile']),
      B: gatewayActor('B', []),
      creator: creatorActor(),
    },
    before: ['creator: create s1', 'A: join', 'B: join'],
    sent: ['A: open s1', 'B: open s1'],
    creditSeconds: 15,
    concurrentSessions: 1,
  },
  reapers: {
    processes: { A: gatewayActor('A', ['end s1']), reaper, other: reaper, creator: creatorActor() },
    before: ['creator: create s1', 'A: join', 'A: open s1'],
    sent: ['reaper: reap', 'other: reap'],
    creditSeconds: 15,
    concurrentSessions: 1,
  },
  creation: {
    processes: { A: creatorActor('key'), B: creatorActor('key'), reaper },
    before: [],
    sent: ['A: create s1', 'B: create s2', 'reaper: reap'],
    creditSeconds: 15,
    concurrentSessions: 1,
  },
  credit: {
    processes: { A: creatorActor(), B: creatorActor() },
    before: [],
    sent: ['A: create s1', 'B: create s2'],
    creditSeconds: 15,
    concurrentSessions: 2,
  },
  chain: {
    processes: {
      A: gatewayActor('A', ['chain s1', 'end s1']),
      reaper,
      creator: creatorActor(),
    },
    before: ['creator: create s1', 'A: join', 'A: open s1'],
    sent: ['reaper: reap'],
    creditSeconds: 15,
    concurrentSessions: 1,
  },
} as const satisfies Record<string, Scenario>;
