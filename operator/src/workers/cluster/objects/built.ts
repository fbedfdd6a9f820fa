import type { WorkerTemplate } from '../../runtime.ts';
import { buildPrerequisites, buildWorkers } from './children.ts';
import type { Child } from './children.ts';
import type { Installation } from '../installation.ts';

/** What a template's workers need in the cluster. */
export interface BuiltChildren {
  prerequisites: Child[];
  workers: (replicas: number) => Child;
}

/** Builds the objects of each template once: a pool asks for them every second. */
export function createChildBuilder(installation: Installation): (template: WorkerTemplate) => BuiltChildren {
  const known = new WeakMap<WorkerTemplate, BuiltChildren>();
  return (template) => {
    const found = known.get(template);
    if (found !== undefined) return found;
    const { type, object } = buildWorkers(template, installation, 0);
    const built: BuiltChildren = {
      prerequisites: buildPrerequisites(template, installation),
      workers: (replicas) => ({ type, object: { ...object, spec: { ...(object.spec as object), replicas } } }),
    };
    known.set(template, built);
    return built;
  };
}
