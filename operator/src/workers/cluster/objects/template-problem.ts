import type { StartFailure } from '../../runtime.ts';
import type { WorkerTemplate } from '../../template.ts';
import { findReservedVariables } from './config-map.ts';
import { imageOf } from './container.ts';
import type { Installation } from '../installation.ts';

/** Returns why no pods can be created from a template. Checks only what needs no request to the API server. */
export function findTemplateProblem(template: WorkerTemplate, installation: Installation): StartFailure | undefined {
  if (imageOf(template, installation) === '') {
    const message = 'no image is set: set spec.worker.image, or the operator setting WORKER_IMAGE';
    return { reason: 'ImageMissing', message };
  }
  const reserved = findReservedVariables(template, installation);
  if (reserved.length > 0) {
    const message = `spec.worker.env must not set ${reserved.join(', ')}: the operator sets these variables itself`;
    return { reason: 'ReservedVariable', message };
  }
  return undefined;
}
