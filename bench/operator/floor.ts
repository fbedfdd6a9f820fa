import { readSettings } from '@svc-asr/runtime';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';
import { OPERATOR_SETTINGS } from '../../operator/src/settings.ts';
import { FINALIZER } from '../../operator/src/source/kubernetes/finalizer.ts';
import {
  buildPrerequisites,
  buildRolloutChild,
  buildWorkers,
} from '../../operator/src/workers/cluster/objects/children.ts';
import { revisionOf } from '../../operator/src/workers/cluster/objects/pod-template.ts';
import type { Installation } from '../../operator/src/workers/cluster/installation.ts';
import { readInstallation } from '../../operator/src/workers/cluster/settings.ts';
import { buildTemplate } from '../../operator/src/workers/template.ts';
import { forEachOf } from './client.ts';
import { buildModel, buildTenant, GRANT, nameOf, readModel } from './resources.ts';
import type { Scene } from './stage.ts';

/** A status of each kind, as an operator wrote it. */
export interface Statuses {
  model: KubeObject;
  tenant: KubeObject;
}

export interface FloorRound {
  ms: number;
  requests: Map<string, number>;
}

/**
 * Runs a client that knows what to write and has no watch, queue or comparison. It sends the requests that the operator
 * sends for `count` ASRModels and Tenants, with the same bodies, on the given number of connections.
 */
export async function runFloor(
  scene: Scene,
  count: number,
  connections: number,
  statuses: Statuses,
): Promise<FloorRound> {
  const requests = new Map<string, number>();
  const api = scene.client(connections, (verb) => requests.set(verb, (requests.get(verb) ?? 0) + 1));
  const installation = readInstallation(readSettings(OPERATOR_SETTINGS, scene.settings));
  const work = Array.from({ length: count }, (_, at) => [
    () => createModel(scene, api, installation, nameOf('model', at), statuses.model),
    () => createTenant(scene, api, nameOf('tenant', at), statuses.tenant),
  ]).flat();
  const startMs = performance.now();
  await forEachOf(work, connections, (make) => make());
  return { ms: performance.now() - startMs, requests };
}

async function createModel(
  { ledger }: Scene,
  api: KubeApi,
  installation: Installation,
  name: string,
  status: KubeObject,
): Promise<void> {
  const created = await api.create(TYPES.ASRModel, buildModel(name));
  await addFinalizer(api, TYPES.ASRModel, created);
  await ledger.registry.put('ASRModel', name, '');
  await ledger.pools.configure(name, { canGrow: true });
  const bare = buildTemplate(readModel(created));
  const template = { ...bare, revision: revisionOf(bare, installation) };
  const { revision } = template;
  const children = [
    ...buildPrerequisites(template, installation),
    buildWorkers(template, installation, 0),
    buildRolloutChild(template, { stable: revision, candidate: undefined, rejected: undefined }),
  ];
  for (const { type, object } of children) await api.apply(type, object);
  await ledger.revisions.weigh(name, new Map([[revision, 100]]));
  await applyStatusOf(api, TYPES.ASRModel, created, status);
}

async function createTenant({ ledger }: Scene, api: KubeApi, name: string, status: KubeObject): Promise<void> {
  const object = buildTenant(name);
  const created = await api.create(TYPES.Tenant, object);
  await addFinalizer(api, TYPES.Tenant, created);
  const limits = { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 600 };
  await ledger.registry.put('Tenant', name, '');
  await ledger.accounts.configure(name, { displayName: name, state: 'Active', models: ['*'], limits });
  await ledger.accounts.grant(name, GRANT.id, GRANT.audioSeconds * 1000);
  await ledger.accounts.read(name);
  await applyStatusOf(api, TYPES.Tenant, created, status);
}

async function addFinalizer(api: KubeApi, type: ResourceType, { metadata }: KubeObject): Promise<void> {
  const { name, uid, resourceVersion } = metadata;
  await api.mergePatch(type, name, { metadata: { resourceVersion, uid, finalizers: [FINALIZER] } });
}

/** Applies the status of another resource of the kind under this resource's name. */
async function applyStatusOf(
  api: KubeApi,
  type: ResourceType,
  { metadata }: KubeObject,
  other: KubeObject,
): Promise<void> {
  const { name, uid } = metadata;
  const status = JSON.parse(JSON.stringify(other.status).replaceAll(other.metadata.name, name)) as object;
  const { apiVersion, kind } = other;
  await api.applyStatus(type, { apiVersion, kind, metadata: { name, ...(uid !== undefined && { uid }) }, status });
}
