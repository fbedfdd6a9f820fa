import type { StartFailure } from '../../runtime.ts';
import { splitTiers } from '../../template.ts';
import type { WorkerTemplate } from '../../template.ts';
import type { Installation } from '../installation.ts';
import { findReservedVariables } from '../objects/config-map.ts';
import { imageOf } from '../objects/container.ts';
import { findRefusal } from './find-refusal.ts';
import { isUnsafeVariable } from './variables.ts';

/** Returns why no pods can be created from a template. Runs only the checks that need no request to the API server. */
export function findTemplateProblem(template: WorkerTemplate, installation: Installation): StartFailure | undefined {
  for (const one of splitTiers(template)) {
    const problem = findProblem(one, installation);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findProblem(template: WorkerTemplate, installation: Installation): StartFailure | undefined {
  if (imageOf(template, installation) === '') {
    const message = 'no image is set: set spec.worker.image, or the operator setting WORKER_IMAGE';
    return { reason: 'ImageMissing', message };
  }
  const unsafe = (template.worker.env ?? []).map(({ name }) => name).filter(isUnsafeVariable);
  const reserved = [...new Set([...findReservedVariables(template, installation), ...unsafe])];
  if (reserved.length > 0) {
    const message = `spec.worker.env must not set ${reserved.join(', ')}: remove them, only the operator and the image may`;
    return { reason: 'ReservedVariable', message };
  }
  return findRefusal(template, installation);
}
