import type { MetricDefinitions } from '@svc-asr/runtime';

/** Metrics of the worker. All metrics have the label `model`. */
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
    description: 'Streams that the worker offers to serve at the same time. Follows the speed of its machine.',
  },
  measuredSlots: {
    name: 'svc_asr_worker_measured_slots',
    kind: 'gauge',
    labels: ['model'],
    description: 'Slots that the worker measured at its start, or that the model sets. The worker never offers more.',
  },
  registered: {
    name: 'svc_asr_worker_registered',
    kind: 'gauge',
    labels: ['model'],
    description: '1 while the worker is registered in Redis, 0 otherwise.',
  },
  stalledSeconds: {
    name: 'svc_asr_worker_stalled_seconds',
    kind: 'gauge',
    unit: 's',
    labels: ['model'],
    description: 'Time since inference last made progress.',
  },
  realTimeFactor: {
    name: 'svc_asr_worker_real_time_factor',
    kind: 'gauge',
    labels: ['model', 'context'],
    description:
      'Processing time per second of audio of one stream, by context. Measured with full batches at warm-up.',
  },
  runs: { name: 'svc_asr_worker_runs', kind: 'counter', labels: ['model'], description: 'Runs of the model.' },
  batched: {
    name: 'svc_asr_worker_batch_size',
    kind: 'counter',
    labels: ['model'],
    description: 'Sum of the batch sizes of all runs. Divided by the number of runs it is the mean batch size.',
  },
  runSeconds: {
    name: 'svc_asr_worker_run_seconds',
    kind: 'counter',
    unit: 's',
    labels: ['model'],
    description:
      'Total duration of runs of the model. Divided by svc_asr_worker_audio_seconds_total it is the current real-time factor.',
  },
  waitSeconds: {
    name: 'svc_asr_worker_wait_seconds',
    kind: 'counter',
    unit: 's',
    labels: ['model'],
    description:
      'Total time that complete chunks of audio were queued for their run. Divided by svc_asr_worker_batch_size_total it is the mean queue time.',
  },
  phaseSeconds: {
    name: 'svc_asr_worker_run_phase_seconds',
    kind: 'counter',
    unit: 's',
    labels: ['model', 'phase'],
    description:
      'Time of runs by phase: copy_in, compute and copy_out on the device, and host on the inference thread. A CPU copies nothing.',
  },
  audioSeconds: {
    name: 'svc_asr_worker_audio_seconds',
    kind: 'counter',
    unit: 's',
    labels: ['model'],
    description: 'Duration of the received audio.',
  },
  ended: {
    name: 'svc_asr_worker_connections_ended',
    kind: 'counter',
    labels: ['model', 'code'],
    description: 'Ended streams, by reason code.',
  },
} as const satisfies MetricDefinitions;
