import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { KubernetesError, listAll, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';
import { backoffMs } from '@svc-asr/runtime';
import type { ResourceOf } from '@svc-asr/core';
import { ConsoleError } from '../errors.ts';
import { buildObject, indexLabels, isTerminating, isName, readObject, referencesTo, TENANT_LABEL } from './object.ts';
import type { ConsoleKind, ResourceStore, Stored, Updated } from './store.ts';
import { createKeyedMutex } from './keyed-mutex.ts';
import { digestOf, isMemberFor, USER_LABEL } from './user-label.ts';

type Api = Pick<KubeApi, 'get' | 'list' | 'create' | 'replace' | 'delete'>;

export interface KubernetesStoreOptions {
  api: Api;
  /** Number of objects per page of a list. */
  pageSize: number;
}

/**
 * Maximum number of attempts of a write that conflicts, or of a list whose pages expire. Conflicts are rare, because
 * kubectl, the operator's finalizer and other consoles rarely write to resources.
 */
const MAX_ATTEMPTS = 10;
const BACKOFF = { baseMs: 20, maxMs: 1000 };

type Change<K extends ConsoleKind> = (current: ResourceOf<K> | undefined) => ResourceOf<K>;

/**
 * Stores resources in the cluster. An update names the resource version that was read. If another writer changed the
 * object in between, the object is read again and the change is applied to it. An object that is being deleted counts
 * as deleted.
 */
export function createKubernetesStore({ api, pageSize }: KubernetesStoreOptions): ResourceStore {
  const inTurn = createKeyedMutex();

  async function list<K extends ConsoleKind>(kind: K, labelSelector?: string): Promise<Stored<K>[]> {
    return (await listObjects(api, kind, pageSize, labelSelector)).flatMap((object) => {
      const { resource } = readObject(kind, object);
      return resource === undefined ? [] : [{ resource, readOnlyIn: undefined }];
    });
  }

  return {
    list,
    labelledKeys: async (tenant) => (isName(tenant) ? list('ApiKey', `${TENANT_LABEL}=${tenant}`) : []),
    unlabelledKeys: () => list('ApiKey', `!${TENANT_LABEL}`),
    membersOf: async (tenant) => {
      if (!isName(tenant)) return [];
      const lists = [list('Member', `${TENANT_LABEL}=${tenant}`), list('Member', `!${TENANT_LABEL}`)];
      return (await Promise.all(lists)).flat().filter(({ resource }) => resource.spec.tenant === tenant);
    },
    membershipsOf: async (user) => {
      const lists = [list('Member', `${USER_LABEL}=${digestOf(user)}`), list('Member', `!${USER_LABEL}`)];
      return (await Promise.all(lists)).flat().filter(({ resource }) => isMemberFor(resource, user));
    },
    unreadable: async () => {
      const kinds: ConsoleKind[] = ['Tenant', 'ApiKey', 'Member'];
      const lists = await Promise.all(
        kinds.map(async (kind) => ({ kind, objects: await listObjects(api, kind, pageSize) })),
      );
      return lists.flatMap(({ kind, objects }) =>
        objects.flatMap((object) => {
          const { problem } = readObject(kind, object);
          return problem === undefined ? [] : [{ file: `${kind}/${object.metadata.name}`, problem }];
        }),
      );
    },
    traces: async (tenant) => {
      const namesOf = async (kind: 'ApiKey' | 'Member') =>
        (await listAllObjects(api, kind, pageSize)).flatMap(({ metadata, spec }) =>
          (spec as { tenant?: unknown } | undefined)?.tenant === tenant ? [metadata.name] : [],
        );
      const [object, keyNames, memberNames] = await Promise.all([
        find(api, 'Tenant', tenant),
        namesOf('ApiKey'),
        namesOf('Member'),
      ]);
      return { tenants: object === undefined ? 0 : 1, keyNames, memberNames, unreadable: [] };
    },
    get: async (kind, name) => {
      const object = await find(api, kind, name);
      if (object === undefined || isTerminating(object)) return undefined;
      return { resource: readValid(kind, object), readOnlyIn: undefined };
    },
    update: (kind, name, change) => inTurn(`${kind}/${name}`, () => update(api, kind, name, change)),
    delete: (kind, name, check) =>
      inTurn(`${kind}/${name}`, async () => {
        const object = await find(api, kind, name);
        if (object === undefined || isTerminating(object)) return false;
        const { uid, resourceVersion } = object.metadata;
        check?.(readValid(kind, object));
        try {
          await api.delete(TYPES[kind], name, { uid, resourceVersion: check && resourceVersion });
        } catch (error) {
          throw isStatus(error, 409) ? new ConsoleError('write_conflict', { cause: error }) : error;
        }
        return true;
      }),
  };
}

async function find(api: Pick<Api, 'get'>, kind: ConsoleKind, name: string): Promise<KubeObject | undefined> {
  return isName(name) ? api.get(TYPES[kind], name) : undefined;
}

/** Returns the objects of a kind that the selector matches and that are not being deleted. */
async function listObjects(...args: Parameters<typeof listAllObjects>): Promise<KubeObject[]> {
  return (await listAllObjects(...args)).filter((object) => !isTerminating(object));
}

/** Returns the objects of a kind that the selector matches. */
async function listAllObjects(
  api: Pick<Api, 'list'>,
  kind: ConsoleKind,
  pageSize: number,
  labelSelector?: string,
): Promise<KubeObject[]> {
  for (let tries = 1; ; tries++) {
    try {
      const { objects } = await listAll(api, TYPES[kind], { pageSize, labelSelector });
      return objects;
    } catch (error) {
      // The API server dropped the snapshot of the list before the last page was read.
      if (!isStatus(error, 410) || tries === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Applies a change to the newest version of a resource. Repeats this after each conflict with another writer. */
async function update<K extends ConsoleKind>(api: Api, kind: K, name: string, change: Change<K>): Promise<Updated<K>> {
  /** Write whose response was lost. The API server may have executed it. */
  let uncertain: { wanted: ResourceOf<K>; previous: ResourceOf<K> | undefined } | undefined;
  for (let tries = 1; ; tries++) {
    const object = await find(api, kind, name);
    const before = object === undefined || isTerminating(object) ? undefined : object;
    const previous = before && readValid(kind, before);
    if (previous !== undefined && uncertain !== undefined && isWritten(previous, uncertain.wanted)) {
      return { resource: previous, previous: uncertain.previous };
    }
    const wanted = change(structuredClone(previous));
    if (object !== before) throw new ConsoleError('being_deleted', { message: leavingMessage(kind, name) });
    try {
      return { resource: readValid(kind, await write(api, kind, wanted, before)), previous };
    } catch (error) {
      // 404 means that the object was deleted in between. `change` decides whether to create it again.
      if (!isStatus(error, 409) && !(before !== undefined && isStatus(error, 404))) throw error;
      if (error.attempts > 1) uncertain = { wanted, previous };
      if (tries === MAX_ATTEMPTS) throw new ConsoleError('write_conflict', { cause: error });
      await sleep(backoffMs(tries, BACKOFF, Math.random()));
    }
  }
}

/** Creates an object, or replaces the one that was read. */
async function write<K extends ConsoleKind>(
  api: Api,
  kind: K,
  wanted: ResourceOf<K>,
  before: KubeObject | undefined,
): Promise<KubeObject> {
  if (before !== undefined) {
    const annotations = { ...before.metadata.annotations, ...wanted.metadata.annotations };
    // An accepted invitation gets the label of its user.
    const labels = { ...before.metadata.labels, ...(wanted.kind === 'Member' && indexLabels(wanted)) };
    const ownerReferences = before.metadata.ownerReferences ?? (await ownersOf(api, wanted));
    const metadata = {
      ...before.metadata,
      annotations,
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(ownerReferences.length > 0 && { ownerReferences }),
    };
    return api.replace(TYPES[kind], { ...before, metadata, spec: wanted.spec });
  }
  if (wanted.kind === 'Tenant') return api.create(TYPES[kind], buildObject(wanted, undefined));
  const tenant = await find(api, 'Tenant', wanted.spec.tenant);
  if (tenant === undefined || isTerminating(tenant)) throw new ConsoleError('tenant_not_found');
  return api.create(TYPES[kind], buildObject(wanted, tenant));
}

/**
 * Returns the owner references for an object that has none. A Member gets its Tenant as the owner, because kubectl may
 * have created the Member without an owner.
 */
async function ownersOf(api: Pick<Api, 'get'>, wanted: ResourceOf<ConsoleKind>) {
  return wanted.kind === 'Member' ? referencesTo(await find(api, 'Tenant', wanted.spec.tenant)) : [];
}

/**
 * Returns the resource of an object. Throws `unreadable_resource` if the object is not valid for this version of the
 * console.
 */
function readValid<K extends ConsoleKind>(kind: K, object: KubeObject): ResourceOf<K> {
  const { resource, problem } = readObject(kind, object);
  if (resource !== undefined) return resource;
  const { name } = object.metadata;
  throw new ConsoleError('unreadable_resource', {
    message: `Repair ${kind}/${name} with kubectl, or upgrade the console to the version of its CRDs: ${problem}.`,
  });
}

function leavingMessage(kind: ConsoleKind, name: string): string {
  return `${kind}/${name} is being deleted. Retry when the deletion has finished. kubectl describe shows what it waits for.`;
}

function isStatus(error: unknown, status: number): error is KubernetesError {
  return error instanceof KubernetesError && error.status === status;
}

/** Returns true if a resource has the content that was to be written. */
function isWritten(stored: ResourceOf<ConsoleKind>, wanted: ResourceOf<ConsoleKind>): boolean {
  return (
    isSame(stored.spec, wanted.spec) && isSame(stored.metadata.annotations ?? {}, wanted.metadata.annotations ?? {})
  );
}

/** Compares two values as JSON, as they are sent to the API server. */
function isSame(a: object, b: object): boolean {
  const [left, right] = [a, b].map((value): unknown => JSON.parse(JSON.stringify(value)));
  return isDeepStrictEqual(left, right);
}
