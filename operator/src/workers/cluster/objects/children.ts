import type { RolloutState } from '@svc-asr/core';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject, ResourceType } from '@svc-asr/kubernetes';
import { digestOf, splitTiers } from '../../template.ts';
import type { WorkerTemplate } from '../../template.ts';
import type { Installation } from '../installation.ts';
import { ANNOTATIONS } from '../names.ts';
import { buildConfigMap } from './config-map.ts';
import { buildDeployment } from './deployment.ts';
import { buildDisruptionBudget } from './disruption-budget.ts';
import { buildNetworkPolicy } from './network-policy.ts';
import { buildRolloutState } from './rollout-state.ts';
import { buildServiceAccount } from './service-account.ts';
import { buildService } from './service.ts';

/** An object that belongs to a model, and its type. */
export interface Child {
  type: ResourceType;
  object: KubeObject;
}

/** The objects that the workers of one template need. */
export interface TemplateChildren {
  /** Objects that must exist before the first pod. */
  prerequisites: Child[];
  /** The Deployments of the template: one per tier, or one if the template has no tiers. */
  deployments: DeploymentBuilder[];
}

/** Builds a Deployment. */
export interface DeploymentBuilder {
  /** Undefined if the template has no tiers. */
  tier: string | undefined;
  /** Returns the Deployment with this number of replicas. */
  workers: (replicas: number) => Child;
}

/** Returns the objects of a template. */
export type ChildBuilder = (template: WorkerTemplate) => TemplateChildren;

/** Creates a function that builds the objects of each template only once, because models are converged often. */
export function createChildBuilder(installation: Installation): ChildBuilder {
  const cache = new WeakMap<WorkerTemplate, TemplateChildren>();
  return (template) => {
    const cached = cache.get(template);
    if (cached !== undefined) return cached;
    const children: TemplateChildren = {
      prerequisites: buildPrerequisites(template, installation),
      deployments: splitTiers(template).map((one) => createDeploymentBuilder(one, installation)),
    };
    cache.set(template, children);
    return children;
  };
}

function createDeploymentBuilder(template: WorkerTemplate, installation: Installation): DeploymentBuilder {
  const { type, object } = buildWorkers(template, installation, 0);
  return {
    tier: template.tier,
    workers: (replicas) => ({ type, object: { ...object, spec: { ...(object.spec as object), replicas } } }),
  };
}

/** Builds the objects that must exist before the first pod of a revision. */
export function buildPrerequisites(template: WorkerTemplate, installation: Installation): Child[] {
  return [
    { type: TYPES.ServiceAccount, object: stamp(buildServiceAccount(template)) },
    ...splitTiers(template).map((one) => ({
      type: TYPES.ConfigMap,
      object: stamp(buildConfigMap(one, installation)),
    })),
    { type: TYPES.NetworkPolicy, object: stamp(buildNetworkPolicy(template, installation)) },
    { type: TYPES.Service, object: stamp(buildService(template)) },
  ];
}

/** Builds the PodDisruptionBudget of a model. Evictions are not limited if `minAvailable` is undefined. */
export function buildDisruptionChild(
  owner: Pick<WorkerTemplate, 'model' | 'uid'>,
  minAvailable: number | undefined,
): Child {
  const limit = minAvailable === undefined ? { maxUnavailable: '100%' } : { minAvailable };
  return { type: TYPES.PodDisruptionBudget, object: stamp(buildDisruptionBudget(owner, limit)) };
}

/** Builds the ConfigMap that stores the state of a model's rollout. */
export function buildRolloutChild(owner: Pick<WorkerTemplate, 'model' | 'uid'>, state: RolloutState): Child {
  return { type: TYPES.ConfigMap, object: stamp(buildRolloutState(owner, state)) };
}

/** Builds the Deployment of a revision, or of one of its tiers. The number of replicas does not change its digest. */
export function buildWorkers(template: WorkerTemplate, installation: Installation, replicas: number): Child {
  const digest = digestOf(buildDeployment(template, installation, 0));
  const object = buildDeployment(template, installation, replicas);
  return { type: TYPES.Deployment, object: annotate(object, digest) };
}

/** Annotates an object with its own digest. If a live object has another digest, it was applied with other content. */
export function stamp(object: KubeObject): KubeObject {
  return annotate(object, digestOf(object));
}

function annotate(object: KubeObject, digest: string): KubeObject {
  const { metadata } = object;
  const annotations = { ...metadata.annotations, [ANNOTATIONS.applied]: digest };
  return { ...object, metadata: { ...metadata, annotations } };
}
