import type { MetricDefinitions } from '@svc-asr/runtime';

/** Every metric of the worker; all of them carry the model as a label. */
export const WORKER_METRICS = {
  streams: {
    name: 'svc_asr_worker_streams',
    kind: 'gauge',
    labels: ['model'],
    description: 'Streams that hold a slot.',
  },
  slots: {
    name: 'svc_asr_worker_slots',
    kind: 'gauge',
    labels: ['model'],
    description: 'Streams that the worker takes.',
  },
  registered: {
    name: 'svc_asr_worker_registered',
    kind: 'gauge',
    labels: ['model'],
    description: '1 while gateways can find the worker in Redis.',
  },
  stalledSeconds: {
    name: 'svc_asr_worker_stalled_seconds',
    kind: 'gauge',
    unit: 's',
    labels: ['model'],
    description: 'How long inference has made no progress.',
  },
  realTimeFactor: {
    name: 'svc_asr_worker_real_time_factor',
    kind: 'gauge',
    labels: ['model', 'context'],
    description: 'Time per second of audio and stream in full batches, measured at warm-up, by context.',
  },
  runs: { name: 'svc_asr_worker_runs', kind: 'counter', labels: ['model'], description: 'Runs of the model.' },
  batched: {
    name: 'svc_asr_worker_batch_size',
    kind: 'counter',
    labels: ['model'],
    description: 'Sum of the batch sizes of all runs: divided by the runs it is the mean batch.',
  },
  runSeconds: {
    name: 'svc_asr_worker_run_seconds',
    kind: 'counter',
    unit: 's',
    labels: ['model'],
    description: 'Time inside runs of the model: divided by the audio it is the present real-time factor.',
  },
  waitSeconds: {
    name: 'svc_asr_worker_wait_seconds',
    kind: 'counter',
    unit: 's',
    labels: ['model'],
    description:
      'Time that chunks of audio waited, complete, for their run: divided by the batch sizes it is the mean wait.',
  },
  audioSeconds: {
    name: 'svc_asr_worker_audio_seconds',
    kind: 'counter',
    unit: 's',
    labels: ['model'],
    description: 'Audio received.',
  },
  ended: {
    name: 'svc_asr_worker_connections_ended',
    kind: 'counter',
    labels: ['model', 'code'],
    description: 'Connections of gateways that ended, by the code of the reason.',
  },
} as const satisfies MetricDefinitions;
