import type { Dashboard } from './panels.ts';

const TENANT = 'namespace=~"$namespace",tenant=~"$tenant"';

/**
 * Dashboard of credit and sessions per tenant. The services do not export tenants as labels. It reads the status of
 * Tenant resources through kube-state-metrics, whose configuration decides whether tenants appear in metrics at all.
 */
export const TENANT_DASHBOARD: Dashboard = {
  uid: 'svc-asr-tenant',
  title: 'svc-asr / tenant',
  description:
    'Credit and sessions of tenants, from the status of Tenant resources (kube-state-metrics with files/kube-state-metrics.yaml).',
  variables: [{ name: 'tenant', query: 'label_values(svc_asr_tenant_available_ms, tenant)' }],
  rows: [
    {
      title: 'Credit',
      panels: [
        {
          title: 'Hours of audio left',
          kind: 'timeseries',
          description: 'Available credit. The status of a Tenant is written at most once a minute.',
          queries: [{ expr: `svc_asr_tenant_available_ms{${TENANT}} / 3.6e6`, legend: '{{tenant}}' }],
        },
        {
          title: 'Audio consumed, seconds per second',
          kind: 'timeseries',
          description: 'Rate at which credit is used, which is the mean number of active streams.',
          queries: [{ expr: `deriv(svc_asr_tenant_consumed_ms{${TENANT}}[10m]) / 1000`, legend: '{{tenant}}' }],
        },
        {
          title: 'Days of credit left at the pace of the last day',
          kind: 'table',
          description: 'Tenants whose credit runs out first.',
          queries: [
            {
              expr: `bottomk(20, svc_asr_tenant_available_ms{${TENANT}} / (increase(svc_asr_tenant_consumed_ms{${TENANT}}[1d]) > 0))`,
              legend: '{{tenant}}',
            },
          ],
        },
        {
          title: 'Consumed in the last day, hours',
          kind: 'table',
          description: 'The largest users.',
          queries: [
            { expr: `topk(20, increase(svc_asr_tenant_consumed_ms{${TENANT}}[1d]) / 3.6e6)`, legend: '{{tenant}}' },
          ],
        },
      ],
    },
    {
      title: 'Sessions and state',
      panels: [
        {
          title: 'Live sessions',
          kind: 'timeseries',
          width: 8,
          description: 'Sessions that are reserved or active.',
          queries: [{ expr: `svc_asr_tenant_live_sessions{${TENANT}}`, legend: '{{tenant}}' }],
        },
        {
          title: 'Live sessions over the limit',
          kind: 'timeseries',
          unit: 'percentunit',
          limit: 1,
          width: 8,
          description: 'At 100 % the next session is refused with 429 concurrency_limit_exceeded.',
          queries: [
            {
              expr: `svc_asr_tenant_live_sessions{${TENANT}} / svc_asr_tenant_concurrent_sessions_limit{${TENANT}}`,
              legend: '{{tenant}}',
            },
          ],
        },
        {
          title: 'Tenants by state',
          kind: 'timeseries',
          width: 8,
          description: 'Waitlisted tenants wait for a decision of the operator.',
          queries: [{ expr: `sum by (state) (svc_asr_tenant_state{${TENANT}})`, legend: '{{state}}' }],
        },
      ],
    },
  ],
};
