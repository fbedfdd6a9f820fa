import type { StartFailure, WorkerTemplate } from '../../runtime.ts';
import { findReservedVariables } from './config-map.ts';
import { imageOf } from './container.ts';
import type { Installation } from '../installation.ts';

/** Why no pods can be made of a template, as far as can be told without asking the API server. */
export function findTemplateProblem(template: WorkerTemplate, installation: Installation): StartFailure | undefined {
  if (imageOf(template, installation) === '') {
    const message = 'no image for workers is known: set spec.worker.image, or WORKER_IMAGE of the operator';
    return { reason: 'ImageMissing', message };
  }
  const reserved = findReservedVariables(template, installation);
  if (reserved.length > 0) {
    const message = `spec.worker.env must not set ${reserved.join(', ')}: the operator does`;
    return { reason: 'ReservedVariable', message };
  }
  return undefined;
}
