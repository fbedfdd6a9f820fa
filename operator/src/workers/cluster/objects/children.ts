import type { RolloutState } from '@svc-asr/core';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject, ResourceType } from '@svc-asr/kubernetes';
import { digestOf } from '../../digest.ts';
import type { WorkerTemplate } from '../../runtime.ts';
import { buildConfigMap } from './config-map.ts';
import { buildDeployment } from './deployment.ts';
import { buildDisruptionBudget } from './disruption-budget.ts';
import { buildRolloutState } from './rollout-state.ts';
import { buildNetworkPolicy } from './network-policy.ts';
import { buildServiceAccount } from './service-account.ts';
import { buildService } from './service.ts';
import type { Installation } from '../installation.ts';
import { ANNOTATIONS } from '../names.ts';

/** An object that a model's workers need, and its type. */
export interface Child {
  type: ResourceType;
  object: KubeObject;
}

/** What has to be there before the first pod of a revision. */
export function buildPrerequisites(template: WorkerTemplate, installation: Installation): Child[] {
  return [
    { type: TYPES.ServiceAccount, object: stamp(buildServiceAccount(template)) },
    { type: TYPES.ConfigMap, object: stamp(buildConfigMap(template, installation)) },
    { type: TYPES.NetworkPolicy, object: stamp(buildNetworkPolicy(template, installation)) },
    { type: TYPES.Service, object: stamp(buildService(template)) },
    { type: TYPES.PodDisruptionBudget, object: stamp(buildDisruptionBudget(template, installation)) },
  ];
}

/** What is remembered of a model's rollout. */
export function buildRolloutChild(owner: Pick<WorkerTemplate, 'model' | 'uid'>, state: RolloutState): Child {
  return { type: TYPES.ConfigMap, object: stamp(buildRolloutState(owner, state)) };
}

/** The pods of a revision, as many as are wanted of them. */
export function buildWorkers(template: WorkerTemplate, installation: Installation, replicas: number): Child {
  const { applied } = ANNOTATIONS;
  const digest = digestOf(buildDeployment(template, installation, 0));
  const object = buildDeployment(template, installation, replicas);
  return { type: TYPES.Deployment, object: annotate(object, applied, digest) };
}

/** Notes on an object what was applied, so that whoever reads it knows whether that is what is to be applied now. */
function stamp(object: KubeObject): KubeObject {
  return annotate(object, ANNOTATIONS.applied, digestOf(object));
}

function annotate(object: KubeObject, name: string, value: string): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [name]: value } } };
}
