import { TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';
import { CHILD_SELECTOR, LABELS } from '../names.ts';
import type { Child } from './children.ts';
import { hasDrifted } from './drift.ts';
import { createObjectCache } from './object-cache.ts';
import type { ObjectCache, Reflect } from './object-cache.ts';

/** The objects of all models in a namespace, except their pods and ReplicaSets. */
export interface ChildStore {
  start: () => Promise<void>;
  stop: () => void;
  /** Returns the models that have a Deployment which is not being deleted. */
  models: () => string[];
  /** Returns the Deployments of a model: one for each revision, or one for each tier of a revision that has tiers. */
  deployments: (model: string) => KubeObject[];
  get: (type: ResourceType, name: string) => KubeObject | undefined;
  /** Applies an object if it is missing in the cluster or differs there. */
  ensure: (child: Child) => Promise<void>;
  /** Sets the number of replicas of a Deployment. */
  scale: (name: string, replicas: number) => Promise<void>;
  /** Deletes the objects of a revision, or all objects of the model if no revision is given. */
  remove: (model: string, revision?: string) => Promise<void>;
}

export interface ChildStoreOptions {
  api: Pick<KubeApi, 'apply' | 'mergePatch' | 'delete'>;
  reflect: Reflect;
  /** Called when an object of a model may have changed. */
  onChange: (model: string) => void;
  /** Called when the cluster has modified an object while it was applied. */
  onModified: (child: Child) => void;
}

const CHILD_TYPES = [
  TYPES.Deployment,
  TYPES.ConfigMap,
  TYPES.Secret,
  TYPES.NetworkPolicy,
  TYPES.Service,
  TYPES.ServiceAccount,
  TYPES.PodDisruptionBudget,
] as const;

export function createChildStore(options: ChildStoreOptions): ChildStore {
  const caches = new Map<ResourceType, ObjectCache>(
    CHILD_TYPES.map((type) => [type, createObjectCache(type, CHILD_SELECTOR, options)]),
  );
  const cacheOf = (type: ResourceType): ObjectCache => {
    const found = caches.get(type);
    if (found === undefined) throw new Error(`${type.plural} are not followed`);
    return found;
  };
  const deployments = cacheOf(TYPES.Deployment);
  const checks = createDriftChecks(cacheOf, options.onModified);
  return {
    start: async () => {
      await Promise.all([...caches.values()].map(({ reflector }) => reflector.start()));
    },
    stop: () => {
      for (const { reflector } of caches.values()) reflector.stop();
    },
    models: () =>
      [...deployments.models()].filter((model) =>
        deployments.of(model).some(({ metadata }) => metadata.deletionTimestamp === undefined),
      ),
    deployments: (model) => deployments.of(model),
    get: (type, name) => cacheOf(type).get(name),
    ensure: checks.ensure,
    scale: async (name, replicas) => {
      await deployments.patch(name, { spec: { replicas } });
    },
    remove: async (model, revision) => {
      for (const [type, cache] of caches) {
        for (const object of cache.of(model)) {
          if (revision !== undefined && object.metadata.labels?.[LABELS.revision] !== revision) continue;
          checks.forget(type, object);
          if (object.metadata.deletionTimestamp === undefined) await cache.delete(object);
        }
      }
    },
  };
}

/**
 * Applies objects that differ from those in the cluster. Remembers which versions of an object were compared, and
 * compares the object again only if one of these versions changes.
 */
function createDriftChecks(cacheOf: (type: ResourceType) => ObjectCache, onModified: (child: Child) => void) {
  /**
   * Versions that were last compared, by kind and name: `resourceVersion` of the object in the cluster and digest of
   * the wanted object.
   */
  const checked = new Map<string, string>();
  /**
   * Keys and digests of wanted objects that the cluster modified when they were applied. Such an object is applied
   * again only if its digest has changed, or if it was deleted from the cluster.
   */
  const modified = new Set<string>();
  const keyOf = (type: ResourceType, { metadata }: KubeObject) => `${type.kind}/${metadata.name}`;
  const digestOf = ({ metadata }: KubeObject) => Object.values(metadata.annotations ?? {}).join();

  async function ensure({ type, object }: Child): Promise<void> {
    const key = keyOf(type, object);
    const digest = digestOf(object);
    const live = cacheOf(type).get(object.metadata.name);
    const versionOf = (found: KubeObject | undefined) => `${found?.metadata.resourceVersion ?? ''} ${digest}`;
    if (live !== undefined && checked.get(key) === versionOf(live)) return;
    const isModified = live !== undefined && modified.has(`${key} ${digest}`);
    if (isModified || !hasDrifted(live, object)) {
      checked.set(key, versionOf(live));
      return;
    }
    const applied = await cacheOf(type).apply(object);
    if (hasDrifted(applied, object)) {
      modified.add(`${key} ${digest}`);
      onModified({ type, object });
    }
    checked.set(key, versionOf(applied));
  }

  return { ensure, forget: (type: ResourceType, object: KubeObject) => void checked.delete(keyOf(type, object)) };
}
