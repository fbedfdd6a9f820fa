import type { Dashboard } from './panels.ts';
import { latencyPanel, MODEL, pool, quantile, rate } from './queries.ts';

/** Dashboard of a model's pool. Shows the causes of latency and how the pool scales. */
export const POOL: Dashboard = {
  uid: 'svc-asr-pool',
  title: 'svc-asr / model pool',
  description: 'The workers of a model: load, scaling, batching and latency.',
  variables: [{ name: 'model', query: 'label_values(svc_asr_worker_slots, model)' }],
  rows: [
    {
      title: 'Load and scaling',
      panels: [
        {
          title: 'Sessions against slots',
          kind: 'timeseries',
          width: 8,
          description: 'The pool scales up when active and reserved sessions plus a buffer approach the slots.',
          queries: [
            { expr: pool('svc_asr_pool_sessions', 'model, state'), legend: '{{model}} {{state}}' },
            { expr: pool('svc_asr_pool_slots', 'model'), legend: '{{model}} slots' },
          ],
        },
        {
          title: 'Workers',
          kind: 'timeseries',
          width: 8,
          description: 'If desired stays above ready, workers do not become ready.',
          queries: [
            { expr: `max by (model, state) (svc_asr_operator_workers{${MODEL}})`, legend: '{{model}} {{state}}' },
          ],
        },
        {
          title: 'Wait for a worker',
          kind: 'timeseries',
          unit: 's',
          width: 8,
          description: 'Time that streams waited for a worker. A pool at zero has to start one first.',
          queries: [
            { expr: quantile(0.5, 'svc_asr_place_wait_seconds', 'model', MODEL), legend: 'p50 {{model}}' },
            { expr: quantile(0.95, 'svc_asr_place_wait_seconds', 'model', MODEL), legend: 'p95 {{model}}' },
          ],
        },
      ],
    },
    {
      title: 'Latency',
      panels: [
        latencyPanel({
          title: 'Delta',
          metric: 'svc_asr_delta_latency_seconds',
          targetSeconds: 0.3,
          width: 12,
          description: 'From the sample that completes a chunk to its delta.',
        }),
        {
          title: 'Delta distribution',
          kind: 'heatmap',
          unit: 's',
          width: 12,
          description: 'Two bands mean that some workers are slower than others.',
          queries: [
            {
              expr: `sum by (le) (rate(svc_asr_delta_latency_seconds_bucket{${MODEL}}[$__rate_interval]))`,
              legend: '{{le}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Inference',
      panels: [
        {
          title: 'Busy inference thread',
          kind: 'timeseries',
          unit: 'percentunit',
          limit: 0.9,
          width: 8,
          description: 'Share of time inside runs of the model. Near 100 % the worker is saturated.',
          queries: [
            {
              expr: `rate(svc_asr_worker_run_seconds_total{${MODEL}}[$__rate_interval])`,
              legend: '{{pod}}{{instance}}',
            },
          ],
        },
        {
          title: 'Mean batch',
          kind: 'timeseries',
          width: 8,
          description: 'Streams in one run of the model.',
          queries: [
            {
              expr: `${rate('svc_asr_worker_batch_size_total', 'model', MODEL)} / ${rate('svc_asr_worker_runs_total', 'model', MODEL)}`,
              legend: '{{model}}',
            },
          ],
        },
        {
          title: 'Mean wait of a chunk, and time of a run',
          kind: 'timeseries',
          unit: 's',
          width: 8,
          description: 'If the wait is above the run, chunks queue up and latency grows.',
          queries: [
            {
              expr: `${rate('svc_asr_worker_wait_seconds_total', 'model', MODEL)} / ${rate('svc_asr_worker_batch_size_total', 'model', MODEL)}`,
              legend: '{{model}} wait',
            },
            {
              expr: `${rate('svc_asr_worker_run_seconds_total', 'model', MODEL)} / ${rate('svc_asr_worker_runs_total', 'model', MODEL)}`,
              legend: '{{model}} run',
            },
          ],
        },
        {
          title: 'Real-time factor',
          kind: 'timeseries',
          width: 8,
          description:
            'Time inside runs per second of audio, now and as measured at warm-up. The slots are derived from the latter.',
          queries: [
            {
              expr: `${rate('svc_asr_worker_run_seconds_total', 'model', MODEL)} / ${rate('svc_asr_worker_audio_seconds_total', 'model', MODEL)}`,
              legend: '{{model}} now',
            },
            {
              expr: `avg by (model, context) (svc_asr_worker_real_time_factor{${MODEL}})`,
              legend: '{{model}} [{{context}}] at warm-up',
            },
          ],
        },
        {
          title: 'Streams and slots of each worker',
          kind: 'timeseries',
          width: 8,
          description: 'Placement distributes streams evenly.',
          queries: [
            { expr: `svc_asr_worker_streams{${MODEL}}`, legend: '{{pod}}{{instance}} streams' },
            { expr: `svc_asr_worker_slots{${MODEL}}`, legend: '{{pod}}{{instance}} slots' },
          ],
        },
        {
          title: 'Audio received',
          kind: 'timeseries',
          width: 8,
          description: 'Seconds of audio per second, which is the number of streams at real-time pace.',
          queries: [{ expr: rate('svc_asr_worker_audio_seconds_total', 'model', MODEL), legend: '{{model}}' }],
        },
      ],
    },
    {
      title: 'Health',
      panels: [
        {
          title: 'Ended connections',
          kind: 'timeseries',
          unit: 'ops',
          width: 8,
          description: 'lost: a gateway disconnected. inference_failed, engine_failed: the model or its thread failed.',
          queries: [
            {
              expr: rate('svc_asr_worker_connections_ended_total', 'model, code', MODEL),
              legend: '{{model}} {{code}}',
            },
          ],
        },
        {
          title: 'No progress',
          kind: 'timeseries',
          unit: 's',
          limit: 3,
          width: 8,
          description: 'After 3 s gateways move streams to other workers. After 10 s the worker is restarted.',
          queries: [
            { expr: `max by (model, pod) (svc_asr_worker_stalled_seconds{${MODEL}})`, legend: '{{model}} {{pod}}' },
          ],
        },
        {
          title: 'Not registered, or cannot be started',
          kind: 'timeseries',
          width: 8,
          description: 'Workers that gateways cannot find, and models whose workers cannot be started.',
          queries: [
            { expr: `sum by (model) (1 - svc_asr_worker_registered{${MODEL}})`, legend: '{{model}} not registered' },
            { expr: `max by (model) (svc_asr_pool_start_failing{${MODEL}})`, legend: '{{model}} cannot be started' },
          ],
        },
      ],
    },
  ],
};
