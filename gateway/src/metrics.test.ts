import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMetrics } from '@svc-asr/runtime';
import { createGatewayMetrics } from './metrics.ts';

/** Counts usage of four tenants, one of them twice, and returns the metric lines that have a `tenant` label. */
async function tenantLines(maxTenants: number | undefined): Promise<string[]> {
  const metrics = createMetrics('gateway');
  const { tenantUsage } = createGatewayMetrics(metrics, maxTenants);
  for (const tenant of ['a', 'b', 'c', 'd', 'a']) {
    tenantUsage.countSession(tenant);
    tenantUsage.countBilled(tenant, 2);
  }
  const text = await new Promise<string>((resolve) => {
    const response = { setHeader: () => undefined, end: resolve } as unknown as ServerResponse;
    metrics.serve({} as IncomingMessage, response);
  });
  await metrics.stop();
  return text
    .split('\n')
    .filter((line) => line.includes('tenant="'))
    .map((line) => line.replace(/\{.*tenant="([^"]*)".*\}/, ' $1'))
    .sort();
}

test('the gateway has no metrics with a tenant label by default', async () => {
  expect(await tenantLines(undefined)).toEqual([]);
  expect(await tenantLines(0)).toEqual([]);
});

test('the gateway uses tenant names as labels up to the tenant limit, and the label _other for all further tenants', async () => {
  expect(await tenantLines(2)).toEqual([
    'svc_asr_tenant_billed_audio_seconds_total _other 4',
    'svc_asr_tenant_billed_audio_seconds_total a 4',
    'svc_asr_tenant_billed_audio_seconds_total b 2',
    'svc_asr_tenant_sessions_created_total _other 2',
    'svc_asr_tenant_sessions_created_total a 2',
    'svc_asr_tenant_sessions_created_total b 1',
  ]);
});

test('the gateway does not use the label _other if the number of tenants is within the limit', async () => {
  expect((await tenantLines(4)).filter((line) => line.includes('_other'))).toEqual([]);
});
