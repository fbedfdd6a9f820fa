import type { CatalogueEntry, FleetPool } from '@svc-asr/ledger';
import type { Router } from 'express';
import type { Deps } from '../deps.ts';
import { valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import { readIfAvailable } from '../ledger-view.ts';
import type { ModelDefinition } from '../resources/platform.ts';
import type { ModelListView, ModelView, PoolView } from '../responses/administration.ts';

/** Serves the models with their pools. */
export function routeModels(router: Router, { platform, ledger }: Deps): void {
  router
    .route('/admin/v1/models')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const definitions = new Map((await platform.models()).map((model) => [model.resource.metadata.name, model]));
      const fleet = await readIfAvailable(async () => {
        const served = (await ledger.catalogue.read()) ?? [];
        const names = [...new Set([...definitions.keys(), ...served.map(({ id }) => id)])];
        const pools = await Promise.all(names.map(async (name) => [name, await ledger.fleet.pool(name)] as const));
        return { served: new Map(served.map((entry) => [entry.id, entry])), pools: new Map(pools) };
      });
      const names = fleet.value === undefined ? [...definitions.keys()] : [...fleet.value.pools.keys()];
      const data = names.sort().map((name) =>
        viewModel(name, definitions.get(name), {
          served: fleet.value?.served.get(name),
          pool: fleet.value?.pools.get(name),
        }),
      );
      const view: ModelListView = { object: 'list', data, ledger_available: fleet.available };
      response.json(view);
    })
    .all(methodNotAllowed('GET, HEAD'));
}

function viewModel(
  name: string,
  definition: ModelDefinition | undefined,
  { served, pool }: { served: CatalogueEntry | undefined; pool: FleetPool | undefined },
): ModelView {
  const { spec, status } = definition?.resource ?? {};
  return {
    object: 'model',
    name,
    language: spec?.language ?? served?.language ?? null,
    language_code: spec?.languageCode ?? served?.languageCode ?? null,
    served: served !== undefined,
    revision: status?.revision ?? null,
    canary: status?.canary ?? null,
    scaling: spec === undefined ? null : { min: spec.scaling.min, max: spec.scaling.max },
    conditions: (definition?.conditions ?? []).map(({ type, status: state, reason, message, lastTransitionTime }) => ({
      type,
      status: state,
      reason,
      message,
      since: lastTransitionTime,
    })),
    events: definition?.events ?? [],
    pool: pool === undefined ? null : viewPool(pool),
  };
}

function viewPool({ slots, active, held, waiting, refused, workers, shares }: FleetPool): PoolView {
  return { slots, active, held, waiting, refused, workers, shares };
}
