import { AUDIO, chunkMs } from '@svc-asr/core';
import type { Tenant } from '@svc-asr/core';
import type { CatalogueEntry } from '@svc-asr/ledger';
import type { Router } from 'express';
import { valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import type { OwnModelView } from '../responses.ts';
import type { DeveloperDeps } from './deps.ts';
import type { SignedIn } from './find-session.ts';

/** Serves the models that the signed-in developer's tenant may use. */
export function routeOwnModels(router: Router, { ledger }: Pick<DeveloperDeps, 'ledger'>, signedIn: SignedIn): void {
  router
    .route('/console/v1/models')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const tenant = await signedIn(request);
      const entries = ((await ledger.catalogue.read()) ?? []).filter(({ id }) => mayUse(tenant, id));
      const data = await Promise.all(
        entries.map(async (entry) => {
          const [contexts, { slots }] = await Promise.all([
            ledger.pools.contexts(entry.id),
            ledger.fleet.pool(entry.id),
          ]);
          return viewModel(entry, contexts, slots > 0);
        }),
      );
      response.json({ object: 'list', data });
    })
    .all(methodNotAllowed('GET, HEAD'));
}

function mayUse({ spec }: Tenant, model: string): boolean {
  return spec.models.includes('*') || spec.models.includes(model);
}

/**
 * Returns a model. As in GET /v1/models, it has only the default context if no worker has reported the contexts of the
 * model yet.
 */
function viewModel(
  entry: CatalogueEntry,
  reported: readonly (readonly [number, number])[],
  ready: boolean,
): OwnModelView {
  const contexts = reported.length > 0 ? reported : [AUDIO.defaultContext];
  return {
    object: 'model',
    id: entry.id,
    language: entry.language,
    language_code: entry.languageCode,
    contexts: contexts.map(([left, right]) => ({
      context_size: [left, right],
      chunk_ms: chunkMs(right),
      default: left === AUDIO.defaultContext[0] && right === AUDIO.defaultContext[1],
    })),
    max_audio_seconds: entry.maxAudioSeconds,
    ready,
  };
}
