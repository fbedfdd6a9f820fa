import { AUDIO } from '@svc-asr/core';
import { createCounter, createGauge, createObservedCounter } from '@svc-asr/runtime';
import type { Metrics } from '@svc-asr/runtime';
import type { Engine } from './engine/engine.ts';
import { contextKey } from './model/manifest.ts';
import { WORKER_METRICS } from './telemetry/metric-list.ts';

/** Creates the worker's instruments. Every series has the label `model`. */
export function createWorkerMetrics({ meter }: Metrics, model: string) {
  const labels = { model };
  const gauge = (definition: (typeof WORKER_METRICS)[keyof typeof WORKER_METRICS]) => createGauge(meter, definition);
  const ended = createCounter(meter, WORKER_METRICS.ended);
  return {
    observeRegistered: (read: () => boolean) => {
      gauge(WORKER_METRICS.registered).addCallback((result) => result.observe(read() ? 1 : 0, labels));
    },
    observeSlots: (read: () => number) => {
      gauge(WORKER_METRICS.slots).addCallback((result) => result.observe(read(), labels));
    },
    observeStall: (readMs: () => number) => {
      gauge(WORKER_METRICS.stalledSeconds).addCallback((result) => result.observe(readMs() / 1000, labels));
    },
    observeSamples: (read: () => number) => {
      createObservedCounter(meter, WORKER_METRICS.audioSeconds).addCallback((result) => {
        result.observe(read() / AUDIO.sampleRateHz, labels);
      });
    },
    /** Registers callbacks that read the counters of the engine each time metrics are collected. */
    observeEngine: (engine: Engine, measuredSlots: number) => {
      const { info } = engine;
      const { runs, batched, runSeconds, waitSeconds } = WORKER_METRICS;
      gauge(WORKER_METRICS.streams).addCallback((result) => result.observe(engine.usedSlots, labels));
      gauge(WORKER_METRICS.measuredSlots).addCallback((result) => result.observe(measuredSlots, labels));
      createObservedCounter(meter, runs).addCallback((result) => result.observe(engine.stats.runs, labels));
      createObservedCounter(meter, batched).addCallback((result) => result.observe(engine.stats.windows, labels));
      createObservedCounter(meter, runSeconds).addCallback((result) => {
        result.observe(engine.stats.runMs / 1000, labels);
      });
      createObservedCounter(meter, WORKER_METRICS.phaseSeconds).addCallback((result) => {
        const { copyInMs, computeMs, copyOutMs, hostMs } = engine.stats;
        const phases = { copy_in: copyInMs, compute: computeMs, copy_out: copyOutMs, host: hostMs };
        for (const [phase, ms] of Object.entries(phases)) result.observe(ms / 1000, { ...labels, phase });
      });
      createObservedCounter(meter, waitSeconds).addCallback((result) => {
        result.observe(engine.stats.waitMs / 1000, labels);
      });
      gauge(WORKER_METRICS.realTimeFactor).addCallback((result) => {
        for (const { context, realTimeFactor } of info.contexts) {
          result.observe(realTimeFactor, { ...labels, context: contextKey(context) });
        }
      });
    },
    countEnd: (code: string) => ended.add(1, { ...labels, code }),
  };
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;
