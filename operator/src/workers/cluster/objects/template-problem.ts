import type { StartFailure } from '../../runtime.ts';
import type { WorkerTemplate } from '../../template.ts';
import { findRefusal } from '../admission/find-refusal.ts';
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
    const message = `spec.worker.env must not set ${reserved.join(', ')}: remove them, only the operator and the image may`;
    return { reason: 'ReservedVariable', message };
  }
  return findRefusal(template, installation);
}
