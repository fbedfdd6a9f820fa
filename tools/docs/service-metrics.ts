import type { MetricDefinitions } from '@svc-asr/runtime';
import { CONSOLE_METRICS } from '../../console/src/metric-list.ts';
import { GATEWAY_METRICS } from '../../gateway/src/telemetry/metric-list.ts';
import { METRICS as OPERATOR_METRICS } from '../../operator/src/metric-list.ts';
import { WORKER_METRICS } from '../../worker/src/telemetry/metric-list.ts';

/** Metrics by service. */
export const SERVICE_METRICS: Readonly<Record<string, MetricDefinitions>> = {
  gateway: GATEWAY_METRICS,
  worker: WORKER_METRICS,
  operator: OPERATOR_METRICS,
  console: CONSOLE_METRICS,
};
