import type { Metrics } from '@svc-asr/runtime';
import type { Engine } from './engine/engine.ts';
import { contextKey } from './model/manifest.ts';

/** Every metric of the worker. */
export function createWorkerMetrics({ meter }: Metrics) {
  return {
    streams: meter.createObservableGauge('svc_asr_worker_streams', { description: 'Streams that hold a slot.' }),
    slots: meter.createObservableGauge('svc_asr_worker_slots', { description: 'Streams that the worker takes.' }),
    registered: meter.createObservableGauge('svc_asr_worker_registered', {
      description: '1 while gateways can find the worker in Redis.',
    }),
    stalledSeconds: meter.createObservableGauge('svc_asr_worker_stalled_seconds', {
      description: 'How long inference has made no progress.',
    }),
    realTimeFactor: meter.createObservableGauge('svc_asr_worker_real_time_factor', {
      description: 'Time per second of audio and stream in full batches, measured at warm-up, by context.',
    }),
    runs: meter.createObservableCounter('svc_asr_worker_runs_total', { description: 'Runs of the model.' }),
    batched: meter.createObservableCounter('svc_asr_worker_batch_size_total', {
      description: 'Sum of the batch sizes of all runs: divided by the runs it is the mean batch.',
    }),
    runSeconds: meter.createObservableCounter('svc_asr_worker_run_seconds_total', {
      description: 'Time inside runs of the model: divided by the audio it is the present real-time factor.',
    }),
    audioSeconds: meter.createCounter('svc_asr_worker_audio_seconds_total', { description: 'Audio received.' }),
    ended: meter.createCounter('svc_asr_worker_connections_ended_total', {
      description: 'Connections of gateways that ended, by the code of the reason.',
    }),
  };
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

/** Reads what the engine counts whenever metrics are read. */
export function observeEngine(metrics: WorkerMetrics, engine: Engine): void {
  const { info } = engine;
  metrics.streams.addCallback((result) => result.observe(info.slots - engine.freeSlots));
  metrics.slots.addCallback((result) => result.observe(info.slots));
  metrics.runs.addCallback((result) => result.observe(engine.stats.runs));
  metrics.batched.addCallback((result) => result.observe(engine.stats.windows));
  metrics.runSeconds.addCallback((result) => result.observe(engine.stats.runMs / 1000));
  metrics.realTimeFactor.addCallback((result) => {
    for (const { context, realTimeFactor } of info.contexts) {
      result.observe(realTimeFactor, { context: contextKey(context) });
    }
  });
}
