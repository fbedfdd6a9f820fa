import { prometheusSeries } from '@svc-asr/runtime';
import type { MetricDefinition, MetricDefinitions } from '@svc-asr/runtime';
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

/** Returns the Prometheus names of all exported series with their labels. */
export function exportedSeries(): Map<string, string[]> {
  const definitions: MetricDefinition[] = Object.values(SERVICE_METRICS).flatMap((list) => Object.values(list));
  return new Map(
    definitions.flatMap((definition) => {
      const labels = (definition.labels ?? []).map((label) => label.replaceAll('.', '_'));
      return prometheusSeries(definition).map((name) => {
        return [name, name.endsWith('_bucket') ? [...labels, 'le'] : labels] as const;
      });
    }),
  );
}
