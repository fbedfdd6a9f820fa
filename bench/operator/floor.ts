import { readSettings } from '@svc-asr/runtime';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';
import { OPERATOR_SETTINGS } from '../../operator/src/settings.ts';
import { buildRecord } from '../../operator/src/reconcile/apikey.ts';
import { FINALIZER } from '../../operator/src/source/kubernetes/finalizer.ts';
import {
  buildDisruptionChild,
  buildPrerequisites,
  buildRolloutChild,
  buildWorkers,
} from '../../operator/src/workers/cluster/objects/children.ts';
import { revisionOf } from '../../operator/src/workers/cluster/objects/pod-template.ts';
import type { Installation } from '../../operator/src/workers/cluster/installation.ts';
import { readInstallation } from '../../operator/src/workers/cluster/settings.ts';
import { buildTemplate } from '../../operator/src/workers/template.ts';
import { followObjects, forEachOf } from './client.ts';
import { buildResources, GRANT, readKey, readModel } from './resources.ts';
import type { Size } from './size.ts';
import type { Scene } from './stage.ts';

/** One resource of each kind, with the status that an operator wrote. */
export type Statuses = Readonly<Record<'ASRModel' | 'Tenant' | 'ApiKey', KubeObject>>;

export interface FloorRound {
  ms: number;
  requests: Map<string, number>;
}

/**
 * Runs a client that already knows what to write. It does not watch, queue or compare objects. It sends the same
 * requests as the operator for the resources of `size`, with the same bodies, on the given number of connections. The
 * benchmark watches the resources, as it also does while it measures the operator. Both measurements therefore include
 * the cost of these watches.
 */
export async function runFloor(scene: Scene, size: Size, connections: number, statuses: Statuses): Promise<FloorRound> {
  const requests = new Map<string, number>();
  const api = scene.client(connections, (verb) => requests.set(verb, (requests.get(verb) ?? 0) + 1));
  const installation = readInstallation(readSettings(OPERATOR_SETTINGS, scene.settings));
  const watching = scene.client(1);
  const reflectors = [TYPES.ASRModel, TYPES.Tenant, TYPES.ApiKey].map((type) =>
    followObjects(watching, type, { onChange: () => undefined }),
  );
  await Promise.all(reflectors.map((reflector) => reflector.start()));
  const startMs = performance.now();
  await forEachOf(buildResources(size), connections, async ({ type, object }) => {
    const created = await api.create(type, object);
    await addFinalizer(api, type, created);
    if (type === TYPES.ASRModel) await applyModel(scene, api, installation, created);
    else if (type === TYPES.Tenant) await applyTenant(scene, created.metadata.name);
    else await applyKey(scene, created);
    await applyStatusOf(api, type, created, statuses[created.kind as keyof Statuses]);
  });
  const ms = performance.now() - startMs;
  for (const reflector of reflectors) reflector.stop();
  return { ms, requests };
}

async function applyModel(
  { ledger }: Scene,
  api: KubeApi,
  installation: Installation,
  created: KubeObject,
): Promise<void> {
  const { name } = created.metadata;
  await ledger.registry.put('ASRModel', name, '');
  await ledger.pools.configure(name, { canGrow: true });
  const bare = buildTemplate(readModel(created));
  const template = { ...bare, revision: revisionOf(bare, installation) };
  const { revision } = template;
  const children = [
    buildDisruptionChild(template, 0),
    ...buildPrerequisites(template, installation),
    buildWorkers(template, installation, 0),
    buildRolloutChild(template, { stable: revision, candidate: undefined, rejected: undefined }),
  ];
  for (const { type, object } of children) await api.apply(type, object);
  await ledger.revisions.weigh(name, new Map([[revision, 100]]));
}

async function applyTenant({ ledger }: Scene, name: string): Promise<void> {
  const limits = { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 600 };
  await ledger.registry.put('Tenant', name, '');
  await ledger.accounts.configure(name, { displayName: name, state: 'Active', models: ['*'], limits });
  await ledger.accounts.grant(name, GRANT.id, GRANT.audioSeconds * 1000);
  await ledger.accounts.read(name);
}

async function applyKey({ ledger }: Scene, created: KubeObject): Promise<void> {
  const key = readKey(created);
  await ledger.registry.put('ApiKey', key.metadata.name, key.spec.keyId);
  await ledger.apiKeys.put(key.spec.keyId, buildRecord(key));
}

async function addFinalizer(api: KubeApi, type: ResourceType, { metadata }: KubeObject): Promise<void> {
  const { name, uid, resourceVersion } = metadata;
  await api.mergePatch(type, name, { metadata: { resourceVersion, uid, finalizers: [FINALIZER] } });
}

/** Writes the status of `other`, which has the same kind, to this resource. */
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
