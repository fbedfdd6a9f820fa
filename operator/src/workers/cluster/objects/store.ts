import { TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';
import { hasDrifted } from './drift.ts';
import { createObjectCache } from './object-cache.ts';
import type { ObjectCache, Reflect } from './object-cache.ts';
import type { Child } from './children.ts';
import { CHILD_SELECTOR, LABELS } from '../names.ts';

/** Everything that models have in the cluster, pods aside. */
export interface ChildStore {
  start: () => Promise<void>;
  stop: () => void;
  /** Models that have a Deployment, less those whose last one is being deleted. */
  models: () => string[];
  /** The Deployments of a model, one for each revision. */
  deployments: (model: string) => KubeObject[];
  get: (type: ResourceType, name: string) => KubeObject | undefined;
  /** Applies an object where it is not as it should be. */
  ensure: (child: Child) => Promise<void>;
  /** Sets how many pods a Deployment has. */
  scale: (name: string, replicas: number) => Promise<void>;
  /** Deletes what a revision has; without one, whatever is left of the model. */
  remove: (model: string, revision?: string) => Promise<void>;
}

const CHILD_TYPES = [
  TYPES.Deployment,
  TYPES.ConfigMap,
  TYPES.NetworkPolicy,
  TYPES.Service,
  TYPES.ServiceAccount,
  TYPES.PodDisruptionBudget,
] as const;

/** Makes the view of the children; `onStubborn` hears of an object that does not become what was applied. */
export function createChildStore(options: {
  api: Pick<KubeApi, 'apply' | 'mergePatch' | 'delete'>;
  reflect: Reflect;
  /** Something of a model may have changed. */
  onChange: (model: string) => void;
  onStubborn: (child: Child) => void;
}): ChildStore {
  const followed = new Map<ResourceType, ObjectCache>(
    CHILD_TYPES.map((type) => [type, createObjectCache(type, CHILD_SELECTOR, options)]),
  );
  /** By kind and name: the version of which it is known that it is as it should be, and what that was. */
  const checked = new Map<string, string>();
  /** What the API server, or somebody else there, changes back each time: no use in insisting. */
  const stubborn = new Set<string>();
  const of = (type: ResourceType): ObjectCache => {
    const found = followed.get(type);
    if (found === undefined) throw new Error(`${type.plural} are not followed`);
    return found;
  };
  const digestOf = ({ metadata }: KubeObject) => Object.values(metadata.annotations ?? {}).join();

  async function ensure({ type, object }: Child): Promise<void> {
    const { name } = object.metadata;
    const key = `${type.kind}/${name}`;
    const live = of(type).get(name);
    const state = `${live?.metadata.resourceVersion ?? ''} ${digestOf(object)}`;
    if (live !== undefined && checked.get(key) === state) return;
    const knownStubborn = stubborn.has(`${key} ${digestOf(object)}`) && live !== undefined;
    if (!knownStubborn && hasDrifted(live, object)) {
      const applied = await of(type).apply(object);
      if (hasDrifted(applied, object)) {
        stubborn.add(`${key} ${digestOf(object)}`);
        options.onStubborn({ type, object });
      }
      checked.set(key, `${applied.metadata.resourceVersion ?? ''} ${digestOf(object)}`);
    } else {
      checked.set(key, state);
    }
  }

  return {
    start: async () => {
      await Promise.all([...followed.values()].map(({ reflector }) => reflector.start()));
    },
    stop: () => {
      for (const { reflector } of followed.values()) reflector.stop();
    },
    models: () =>
      [...of(TYPES.Deployment).models()].filter((model) =>
        of(TYPES.Deployment)
          .of(model)
          .some(({ metadata }) => metadata.deletionTimestamp === undefined),
      ),
    deployments: (model) => of(TYPES.Deployment).of(model),
    get: (type, name) => of(type).get(name),
    ensure,
    scale: async (name, replicas) => {
      await of(TYPES.Deployment).patch(name, { spec: { replicas } });
    },
    remove: async (model, revision) => {
      const left = CHILD_TYPES.flatMap((type) =>
        of(type)
          .of(model)
          .map((object) => ({ type, object })),
      );
      for (const { type, object } of left) {
        if (revision !== undefined && object.metadata.labels?.[LABELS.revision] !== revision) continue;
        checked.delete(`${type.kind}/${object.metadata.name}`);
        if (object.metadata.deletionTimestamp === undefined) await of(type).delete(object);
      }
    },
  };
}
