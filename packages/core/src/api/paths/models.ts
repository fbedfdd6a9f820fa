import type { PathItem } from '../document.ts';
import { EXAMPLE_MODELS } from '../examples.ts';
import { modelsSamples } from '../guides/samples.ts';
import { errorResponses, jsonResponse } from '../responses.ts';

/** GET /v1/models */
export function modelsPath(publicUrl: string): PathItem {
  return {
    get: {
      operationId: 'listModels',
      tags: ['Models'],
      summary: 'List models',
      description:
        'Lists the recognition models that are installed. Public: no key is needed, and browsers of any origin may ask. The list changes when an administrator installs or removes a model; keep it for minutes, not for days.',
      security: [],
      responses: {
        200: jsonResponse('The models.', 'ModelList', { summary: 'Two languages', value: EXAMPLE_MODELS }, []),
        // A gateway that has just started and never seen the catalogue.
        ...errorResponses(['service_unavailable']),
      },
      'x-codeSamples': modelsSamples(publicUrl),
    },
  };
}
