import type { Router } from 'express';
import type { Deps } from '../deps.ts';
import { valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import { readIfAvailable } from '../ledger-view.ts';
import type { HealthView } from '../responses/administration.ts';

/**
 * Serves the health of Redis, resources, gateways, queues and operator. The request succeeds even if one of them is
 * unavailable.
 */
export function routeHealth(router: Router, deps: Deps): void {
  const { platform, audit } = deps;
  router
    .route('/admin/v1/health')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const [redis, resources, fleet] = await Promise.all([checkRedis(deps), checkResources(deps), readFleet(deps)]);
      const operator = resources.reachable ? await platform.lead().catch(() => undefined) : undefined;
      const view: HealthView = {
        object: 'health',
        redis,
        resources,
        gateways: fleet?.gateways ?? null,
        queues: fleet?.queues ?? null,
        operator: operator === undefined ? null : { holder: operator.holder, renewed_at: operator.renewedAt },
        waiting_audit_entries: audit.waiting,
      };
      response.json(view);
    })
    .all(methodNotAllowed('GET, HEAD'));
}

async function checkRedis({ ledger }: Deps): Promise<HealthView['redis']> {
  const startedAt = performance.now();
  const { value: ledgerId, available } = await readIfAvailable(() => ledger.identity.read());
  const latencyMs = Math.round((performance.now() - startedAt) * 10) / 10;
  const { value: memory = [] } = await readIfAvailable(() => ledger.memory.read());
  return {
    reachable: available,
    latency_ms: available ? latencyMs : null,
    nodes: memory.map(({ usedBytes, limitBytes, policy }) => ({
      used_bytes: usedBytes,
      limit_bytes: limitBytes,
      policy,
    })),
    has_ledger: available ? ledgerId !== undefined : null,
  };
}

async function checkResources({ store, platform: { kind } }: Deps): Promise<HealthView['resources']> {
  const startedAt = performance.now();
  try {
    await store.get('Tenant', 'health-check');
    return { kind, reachable: true, latency_ms: Math.round((performance.now() - startedAt) * 10) / 10 };
  } catch {
    return { kind, reachable: false, latency_ms: null };
  }
}

async function readFleet({ ledger }: Deps): Promise<Pick<HealthView, 'gateways' | 'queues'> | undefined> {
  const { value } = await readIfAvailable(async () => {
    const [gateways, served] = await Promise.all([ledger.fleet.gateways(), ledger.catalogue.read()]);
    const queues = (served ?? []).map(async ({ id: model }) => {
      const { waiting, active, slots, workers } = await ledger.fleet.pool(model);
      return { model, waiting, active, slots, workers: workers.length };
    });
    return {
      gateways: gateways.map(({ id, streams, freeStreams, leaseUntilMs }) => ({
        id,
        streams,
        free_streams: freeStreams,
        lease_expires_at: new Date(leaseUntilMs).toISOString(),
      })),
      queues: await Promise.all(queues),
    };
  });
  return value;
}
