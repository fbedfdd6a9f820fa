import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiKeyStatus, AsrModelStatus, Condition, TenantStatus } from '@svc-asr/core';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject, ResourceType } from '@svc-asr/kubernetes';
import type { Usage } from '../relay/usage.ts';
import { countObjects, followObjects, forEachOf } from './client.ts';
import { difference } from './exposition.ts';
import type { OperatorProcess } from './operator-process.ts';
import type { Statuses } from './floor.ts';
import { buildResources } from './resources.ts';
import type { Size } from './size.ts';
import type { Scene } from './stage.ts';

const CREATORS = 16;
const POLL_MS = 100;
const TIMEOUT_MS = 3_600_000;

/**
 * Number of objects of each type that the operator has created for a converged model. One ConfigMap contains the
 * settings of its revision, and another the state of its rollouts.
 */
const CHILDREN: readonly (readonly [ResourceType, number])[] = [
  [TYPES.ServiceAccount, 1],
  [TYPES.ConfigMap, 2],
  [TYPES.NetworkPolicy, 1],
  [TYPES.Service, 1],
  [TYPES.PodDisruptionBudget, 1],
  [TYPES.Deployment, 1],
];

/** Figures of a round. A round starts without resources and ends when all resources have converged. */
export interface Convergence {
  ms: number;
  /** Time from the first create request to the response to the last one. */
  createMs: number;
  /** Requests of the operator to the API server during the round, by verb. */
  requests: Map<string, number>;
  cpuSeconds: number;
  usage: Usage;
  /** One resource of each kind, with the status that the operator wrote. */
  statuses: Statuses;
}

/** Creates the resources of `size`, and waits until a running operator has reconciled all of them. */
export async function converge(scene: Scene, operator: OperatorProcess, size: Size): Promise<Convergence> {
  const api = scene.client(CREATORS);
  const before = new Map(
    await Promise.all(CHILDREN.map(async ([type]) => [type, await countObjects(api, type)] as const)),
  );
  const waiting = new Set<string>();
  const follow = (type: ResourceType, isDone: (object: KubeObject) => boolean) => {
    const reflector = followObjects(api, type, {
      onChange: (name) => {
        const object = reflector.get(name);
        // A resource that leaves its final state again has not converged yet.
        if (object !== undefined && isDone(object)) waiting.delete(`${type.kind}/${name}`);
        else waiting.add(`${type.kind}/${name}`);
      },
    });
    return reflector;
  };
  const models = follow(TYPES.ASRModel, isModelDone);
  const tenants = follow(TYPES.Tenant, isTenantDone);
  const keys = follow(TYPES.ApiKey, isKeyDone);
  await Promise.all([models, tenants, keys].map((reflector) => reflector.start()));
  const resources = buildResources(size);
  for (const { type, object } of resources) waiting.add(`${type.kind}/${object.metadata.name}`);

  const requestsBefore = await operator.requests();
  const cpuBefore = operator.usage().cpuSeconds;
  const startMs = performance.now();
  await forEachOf(resources, CREATORS, async ({ type, object }) => {
    await api.create(type, object);
  });
  const createMs = performance.now() - startMs;
  const untilMs = startMs + TIMEOUT_MS;
  const hasChildren = async () => {
    for (const [type, each] of CHILDREN) {
      if ((await countObjects(api, type)) < (before.get(type) ?? 0) + each * size.models) return false;
    }
    return true;
  };
  while (waiting.size > 0 || !(await hasChildren())) {
    if (performance.now() > untilMs) throw new Error(`not converged in time: ${[...waiting].slice(0, 5).join(', ')}`);
    await sleep(POLL_MS);
  }
  const ms = performance.now() - startMs;
  const usage = operator.usage();
  const requests = difference(requestsBefore, await operator.requests());
  for (const reflector of [models, tenants, keys]) reflector.stop();
  const [[ASRModel], [Tenant], [ApiKey]] = [models.list(), tenants.list(), keys.list()];
  if (ASRModel === undefined || Tenant === undefined || ApiKey === undefined)
    throw new Error('the created resources were deleted');
  const statuses = { ASRModel, Tenant, ApiKey };
  return { ms, createMs, requests, cpuSeconds: usage.cpuSeconds - cpuBefore, usage, statuses };
}

/**
 * Returns whether the operator has applied the current generation of a model, and whether the model accepts sessions
 * and is steady. A model can reach this state without workers.
 */
function isModelDone({ metadata, status }: KubeObject): boolean {
  const { observedGeneration, conditions = [], revision } = (status ?? {}) as AsrModelStatus;
  if (observedGeneration !== metadata.generation || revision === undefined) return false;
  return (
    is(conditions, 'Ready', 'True') && is(conditions, 'Available', 'True') && is(conditions, 'Progressing', 'False')
  );
}

function isTenantDone({ metadata, status }: KubeObject): boolean {
  const { observedGeneration, conditions = [], credits } = (status ?? {}) as TenantStatus;
  return observedGeneration === metadata.generation && is(conditions, 'Ready', 'True') && credits !== undefined;
}

function isKeyDone({ metadata, status }: KubeObject): boolean {
  const { observedGeneration, conditions = [] } = (status ?? {}) as ApiKeyStatus;
  return observedGeneration === metadata.generation && is(conditions, 'Ready', 'True');
}

function is(conditions: readonly Condition[], type: string, wanted: Condition['status']): boolean {
  return conditions.find((one) => one.type === type)?.status === wanted;
}
