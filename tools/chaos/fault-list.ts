/** Properties of a fault. */
export interface FaultKind {
  /** Weight of this fault in the random choice of faults. */
  readonly weight: number;
  /** Shortest and longest duration, in milliseconds. */
  readonly lastsMs: readonly [number, number];
  /** Part of the service that the fault hits. Each gateway, worker or other part has at most one fault at a time. */
  readonly target: 'gateway' | 'worker' | 'operator' | 'redis' | 'sentinel' | 'api-server';
  /**
   * How the fault may harm a stream. `kills` ends the streams of a gateway. `separates` keeps gateways from renewing
   * their leases. `moves` can make a stream lose a worker. `none` must not affect any stream.
   */
  readonly harm: 'kills' | 'separates' | 'moves' | 'none';
  /** True if the sentinels must promote a replica. The duration of the fault then starts after the promotion. */
  readonly promotes: boolean;
  /** 1 if the fault sets a wall clock ahead, -1 if it sets the clock back, and 0 if it does not change a clock. */
  readonly clock: -1 | 0 | 1;
}

const kind = (
  target: FaultKind['target'],
  harm: FaultKind['harm'],
  lastsMs: FaultKind['lastsMs'],
  weight = 2,
): FaultKind => ({ weight, lastsMs, target, harm, promotes: false, clock: 0 });

const promotion = (lastsMs: FaultKind['lastsMs'], weight = 2): FaultKind => ({
  ...kind('redis', 'separates', lastsMs, weight),
  promotes: true,
});

const ahead = (target: FaultKind['target'], harm: FaultKind['harm'], lastsMs: FaultKind['lastsMs']): FaultKind => ({
  ...kind(target, harm, lastsMs, 1),
  clock: 1,
});

const behind: typeof ahead = (...fault) => ({ ...ahead(...fault), clock: -1 });

/** All faults. Faults with the harm `separates` are shorter than the lease of a gateway. */
export const FAULTS = {
  'kill:gateway': kind('gateway', 'kills', [200, 3000]),
  'kill:worker': kind('worker', 'moves', [200, 3000], 4),
  'kill:operator': kind('operator', 'none', [200, 8000]),
  'kill:redis': kind('redis', 'separates', [100, 800]),
  'stop:gateway': kind('gateway', 'separates', [500, 6000]),
  'freeze:gateway': kind('gateway', 'kills', [17_000, 19_000], 1),
  'stop:worker': kind('worker', 'moves', [500, 8000], 4),
  'stop:operator': kind('operator', 'none', [500, 8000]),
  'stop:redis': kind('redis', 'separates', [300, 1000]),
  'failover:redis': promotion([1, 1], 3),
  'lose:redis': promotion([500, 3000], 3),
  'freeze:redis': promotion([500, 3000]),
  'isolate:redis': promotion([500, 3000]),
  'kill:replica': kind('redis', 'none', [200, 4000], 1),
  'stop:replica': kind('redis', 'none', [500, 6000], 1),
  'stop:sentinel': kind('sentinel', 'none', [500, 6000], 1),
  'cut:gateway-redis': kind('gateway', 'separates', [200, 5000]),
  'stall:gateway-redis': kind('gateway', 'separates', [500, 5000]),
  'delay:gateway-redis': kind('gateway', 'none', [2000, 8000]),
  'drop:gateway-redis': kind('gateway', 'none', [1, 1]),
  'cut:gateway-worker': kind('worker', 'moves', [200, 6000]),
  'stall:gateway-worker': kind('worker', 'moves', [500, 6000]),
  'delay:gateway-worker': kind('worker', 'none', [2000, 8000]),
  'drop:gateway-worker': kind('worker', 'moves', [1, 1]),
  'cut:worker-redis': kind('worker', 'none', [500, 8000]),
  'stall:worker-redis': kind('worker', 'none', [500, 8000]),
  'stall:operator-redis': kind('operator', 'none', [500, 8000]),
  'kill:api-server': kind('api-server', 'none', [500, 8000]),
  'stop:api-server': kind('api-server', 'none', [500, 8000]),
  'cut:operator-api-server': kind('api-server', 'none', [500, 8000], 1),
  'stall:operator-api-server': kind('api-server', 'none', [500, 8000], 1),
  'full:memory': kind('redis', 'separates', [500, 5000], 1),
  'full:disk': kind('redis', 'separates', [500, 4000], 1),
  'ahead:gateway': ahead('gateway', 'none', [500, 8000]),
  'behind:gateway': behind('gateway', 'none', [500, 8000]),
  'ahead:worker': ahead('worker', 'none', [500, 8000]),
  'behind:worker': behind('worker', 'none', [500, 8000]),
  'ahead:operator': ahead('operator', 'none', [500, 8000]),
  'behind:operator': behind('operator', 'none', [500, 8000]),
  // When its clock steps ahead, Redis refuses writes for a moment, because the last confirmations of its replicas look
  // old. This also happens at the end of `behind:redis`, when the clock steps ahead to the correct time.
  'ahead:redis': ahead('redis', 'separates', [500, 4000]),
  'behind:redis': behind('redis', 'separates', [500, 4000]),
} as const satisfies Readonly<Record<string, FaultKind>>;

export type FaultName = keyof typeof FAULTS;
