import { LIST_MODELS_SAMPLES } from '../../samples.ts';
import type { PathItem } from '../document.ts';
import { EXAMPLE_MODELS } from '../examples.ts';
import { errorResponses, jsonResponse } from '../responses.ts';

/** Describes GET /v1/models. */
export function modelsPath(): PathItem {
  return {
    get: {
      operationId: 'listModels',
      tags: ['Models'],
      summary: 'List models',
      description:
        'Lists the installed recognition models. This endpoint needs no API key and allows requests from any origin. The list changes when an administrator installs or removes a model. Cache it for minutes, not for days.',
      security: [],
      responses: {
        200: jsonResponse('The models.', 'ModelList', { summary: 'Two languages', value: EXAMPLE_MODELS }, []),
        // Sent by a gateway that has just started and has not read the catalogue yet.
        ...errorResponses(['service_unavailable']),
      },
      'x-codeSamples': LIST_MODELS_SAMPLES,
    },
  };
}
