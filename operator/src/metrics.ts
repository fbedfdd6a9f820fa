import { createCounter, createGauge, createHistogram } from '@svc-asr/runtime';
import type { Metrics } from '@svc-asr/runtime';
import type { RedisMemory } from '@svc-asr/ledger';
import type { JournalReadings } from './journal/keeper.ts';
import { METRICS } from './metric-list.ts';
import type { PoolStatus } from './workers/pool/status.ts';

/** Fields of a pool's status that metrics show. */
export type PoolReading = Pick<
  PoolStatus,
  'model' | 'desired' | 'running' | 'ready' | 'slots' | 'startFailure' | 'failingNodes' | 'tiers'
>;

/** State of the operator that is read when metrics are collected. */
export interface Readings {
  queueDepth: () => { ready: number; inFlight: number; delayed: number };
  resourceKinds: () => readonly string[];
  invalidResources: () => number;
  heldDeletions: () => number;
  /** Returns the time of the last resync in seconds since 1970. Undefined before the first resync. */
  lastSyncSeconds: () => number | undefined;
  pools: () => readonly PoolReading[];
  ledgerMissing: () => boolean;
  isLeader: () => boolean;
  redisMemory: () => RedisMemory | undefined;
  journal: () => JournalReadings | undefined;
}

export interface Instruments {
  countReconcile: (kind: string, result: 'success' | 'error' | 'unavailable', durationMs: number) => void;
  countRequest: (verb: string, code: number) => void;
  countRelist: (kind: string, reason: string) => void;
  /**
   * Call when the reflector of a kind in a namespace starts, after each full list, and when a watch received anything.
   */
  noteWatchActivity: (kind: string, namespace: string) => void;
}

/** Creates the instruments of the operator. */
export function createInstruments(meter: Metrics['meter'], nowMs: () => number): Instruments {
  const reconciles = createCounter(meter, METRICS.reconciles);
  const requests = createCounter(meter, METRICS.requests);
  const relists = createCounter(meter, METRICS.relists);
  const histogram = createHistogram(meter, METRICS.reconcileSeconds);
  /** Time of the last activity by kind and namespace. */
  const activeAtMs = new Map<string, Map<string, number>>();
  createGauge(meter, METRICS.watchAge).addCallback((result) => {
    for (const [kind, times] of activeAtMs) result.observe((nowMs() - Math.min(...times.values())) / 1000, { kind });
  });
  return {
    countReconcile: (kind, result, durationMs) => {
      reconciles.add(1, { kind, result });
      histogram.record(durationMs / 1000, { kind });
    },
    countRequest: (verb, code) => requests.add(1, { verb, code: String(code) }),
    countRelist: (kind, reason) => relists.add(1, { kind, reason }),
    noteWatchActivity: (kind, namespace) => {
      const times = activeAtMs.get(kind) ?? new Map<string, number>();
      activeAtMs.set(kind, times.set(namespace, nowMs()));
    },
  };
}

/** Registers callbacks that read the state of the operator's components. */
export function observe(meter: Metrics['meter'], readings: Readings): void {
  const gauge = (definition: (typeof METRICS)[keyof typeof METRICS]) => createGauge(meter, definition);
  gauge(METRICS.queueDepth).addCallback((result) => {
    const { ready, inFlight, delayed } = readings.queueDepth();
    result.observe(ready, { state: 'ready' });
    result.observe(inFlight, { state: 'in_flight' });
    result.observe(delayed, { state: 'delayed' });
  });
  gauge(METRICS.resources).addCallback((result) => {
    const counts = new Map<string, number>();
    for (const kind of readings.resourceKinds()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [kind, count] of counts) result.observe(count, { kind });
  });
  gauge(METRICS.invalidResources).addCallback((result) => result.observe(readings.invalidResources()));
  gauge(METRICS.heldDeletions).addCallback((result) => result.observe(readings.heldDeletions()));
  gauge(METRICS.lastSync).addCallback((result) => {
    const seconds = readings.lastSyncSeconds();
    if (seconds !== undefined) result.observe(seconds);
  });
  gauge(METRICS.leader).addCallback((result) => result.observe(readings.isLeader() ? 1 : 0));
  gauge(METRICS.workers).addCallback((result) => {
    for (const { model, desired, running, ready } of readings.pools()) {
      for (const [state, count] of Object.entries({ desired, running, ready })) result.observe(count, { model, state });
    }
  });
  gauge(METRICS.poolSlots).addCallback((result) => {
    for (const { model, slots } of readings.pools()) if (slots !== undefined) result.observe(slots.total, { model });
  });
  gauge(METRICS.poolSessions).addCallback((result) => {
    for (const { model, slots } of readings.pools()) {
      const { active, reserved, waiting } = slots ?? {};
      for (const [state, count] of Object.entries({ active, reserved, waiting })) {
        if (count !== undefined) result.observe(count, { model, state });
      }
    }
  });
  gauge(METRICS.poolStartFailing).addCallback((result) => {
    for (const { model, startFailure } of readings.pools())
      result.observe(startFailure === undefined ? 0 : 1, { model });
  });
  gauge(METRICS.poolFailingNodes).addCallback((result) => {
    for (const { model, failingNodes } of readings.pools()) result.observe(failingNodes.length, { model });
  });
  observeTiers(meter, readings);
  gauge(METRICS.ledgerMissing).addCallback((result) => result.observe(readings.ledgerMissing() ? 1 : 0));
  const observeIfKnown = (definition: (typeof METRICS)[keyof typeof METRICS], read: () => number | undefined) =>
    gauge(definition).addCallback((result) => {
      const value = read();
      if (value !== undefined) result.observe(value);
    });
  observeIfKnown(METRICS.redisUsedBytes, () => readings.redisMemory()?.usedBytes);
  observeIfKnown(METRICS.redisLimitBytes, () => readings.redisMemory()?.limitBytes);
  observeIfKnown(METRICS.journalEntries, () => readings.journal()?.entries);
  observeIfKnown(METRICS.journalBacklog, () => readings.journal()?.backlogRatio);
  observeIfKnown(METRICS.journalExportAge, () => readings.journal()?.exportAgeSeconds);
}

/**
 * Registers the metrics of tiers. Workers without a tier are left out, such as those of an earlier revision without
 * tiers.
 */
function observeTiers(meter: Metrics['meter'], readings: Readings): void {
  const list = () =>
    readings
      .pools()
      .flatMap(({ model, tiers = [] }) => tiers.map((tier) => ({ tier, labels: { model, tier: tier.name } })))
      .filter(({ tier }) => tier.name !== '');
  createGauge(meter, METRICS.tierWorkers).addCallback((result) => {
    for (const { tier, labels } of list()) {
      const { desired, running, ready } = tier;
      for (const [state, count] of Object.entries({ desired, running, ready })) {
        result.observe(count, { ...labels, state });
      }
    }
  });
  createGauge(meter, METRICS.tierSlots).addCallback((result) => {
    for (const { tier, labels } of list()) result.observe(tier.slots, labels);
  });
  createGauge(meter, METRICS.tierStreams).addCallback((result) => {
    for (const { tier, labels } of list()) result.observe(tier.used, labels);
  });
  createGauge(meter, METRICS.tierStartFailing).addCallback((result) => {
    for (const { tier, labels } of list()) result.observe(tier.startFailure === undefined ? 0 : 1, labels);
  });
}
