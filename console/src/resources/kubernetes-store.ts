import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { KubernetesError, listAll, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';
import { backoffMs } from '@svc-asr/runtime';
import type { ResourceOf } from '@svc-asr/core';
import { ConsoleError } from '../errors.ts';
import { buildObject, isLeaving, isName, readObject } from './object.ts';
import type { ConsoleKind, ResourceStore } from './store.ts';
import { createKeyedMutex } from './keyed-mutex.ts';

export interface KubernetesStoreOptions {
  api: Pick<KubeApi, 'get' | 'list' | 'create' | 'replace' | 'delete'>;
  /** Objects of a page of a list. */
  pageSize: number;
}

/** Others (kubectl, the operator's finalizer, another console) write into a resource now and then, not all the time. */
const TRIES = 10;
const BETWEEN_TRIES = { baseMs: 20, maxMs: 1000 };

type Change<K extends ConsoleKind> = (current: ResourceOf<K> | undefined) => ResourceOf<K>;

/**
 * Resources in the cluster. A write is guarded by the version that was read, so what others wrote in between is never
 * lost: it is read again, and the change made anew. What is being deleted counts as gone.
 */
export function createKubernetesStore({ api, pageSize }: KubernetesStoreOptions): ResourceStore {
  const inTurn = createKeyedMutex();

  async function find(kind: ConsoleKind, name: string): Promise<KubeObject | undefined> {
    return isName(name) ? api.get(TYPES[kind], name) : undefined;
  }

  async function listObjects(kind: ConsoleKind): Promise<KubeObject[]> {
    for (let tries = 1; ; tries++) {
      try {
        const { objects } = await listAll(api, TYPES[kind], { pageSize });
        return objects.filter((object) => !isLeaving(object));
      } catch (error) {
        // The server forgot the state of the first page before the last one was read.
        if (!isStatus(error, 410) || tries === TRIES) throw error;
      }
    }
  }

  /** Makes an object, or puts one in the place of that which was read. */
  async function write<K extends ConsoleKind>(kind: K, wanted: ResourceOf<K>, before: KubeObject | undefined) {
    if (before !== undefined) {
      const annotations = { ...before.metadata.annotations, ...wanted.metadata.annotations };
      return api.replace(TYPES[kind], { ...before, metadata: { ...before.metadata, annotations }, spec: wanted.spec });
    }
    const tenant = wanted.kind === 'ApiKey' ? await find('Tenant', wanted.spec.tenant) : undefined;
    if (wanted.kind === 'ApiKey' && (tenant === undefined || isLeaving(tenant))) {
      throw new ConsoleError('tenant_not_found');
    }
    return api.create(TYPES[kind], buildObject(wanted, tenant));
  }

  async function update<K extends ConsoleKind>(kind: K, name: string, change: Change<K>) {
    /** What a try of this update wrote if it was heard, though its answer was lost. */
    let perhaps: { wanted: ResourceOf<K>; previous: ResourceOf<K> | undefined } | undefined;
    for (let tries = 1; ; tries++) {
      const object = await find(kind, name);
      const before = object === undefined || isLeaving(object) ? undefined : object;
      const previous = before && demand(kind, before);
      if (previous !== undefined && perhaps !== undefined && isWritten(previous, perhaps.wanted)) {
        return { resource: previous, previous: perhaps.previous };
      }
      const wanted = change(structuredClone(previous));
      if (object !== before) throw new ConsoleError('being_deleted', { message: leavingMessage(kind, name) });
      try {
        return { resource: demand(kind, await write(kind, wanted, before)), previous };
      } catch (error) {
        // 404: it was deleted in between. Whether to make it anew is for `change` to say.
        if (!isStatus(error, 409) && !(before !== undefined && isStatus(error, 404))) throw error;
        if (error.attempts > 1) perhaps = { wanted, previous };
        if (tries === TRIES) throw new ConsoleError('write_conflict', { cause: error });
        await sleep(backoffMs(tries, BETWEEN_TRIES, Math.random()));
      }
    }
  }

  return {
    list: async (kind) =>
      (await listObjects(kind)).flatMap((object) => {
        const { resource } = readObject(kind, object);
        return resource === undefined ? [] : [{ resource, readOnlyIn: undefined }];
      }),
    unreadable: async () => {
      const kinds: ConsoleKind[] = ['Tenant', 'ApiKey'];
      const lists = await Promise.all(kinds.map(async (kind) => ({ kind, objects: await listObjects(kind) })));
      return lists.flatMap(({ kind, objects }) =>
        objects.flatMap((object) => {
          const { problem } = readObject(kind, object);
          return problem === undefined ? [] : [{ file: `${kind}/${object.metadata.name}`, problem }];
        }),
      );
    },
    get: async (kind, name) => {
      const object = await find(kind, name);
      if (object === undefined || isLeaving(object)) return undefined;
      return { resource: demand(kind, object), readOnlyIn: undefined };
    },
    update: (kind, name, change) => inTurn(`${kind}/${name}`, () => update(kind, name, change)),
    delete: (kind, name) =>
      inTurn(`${kind}/${name}`, async () => {
        const object = await find(kind, name);
        if (object === undefined || isLeaving(object)) return false;
        const { uid } = object.metadata;
        await api.delete(TYPES[kind], name, uid === undefined ? {} : { uid });
        return true;
      }),
  };
}

/** The resource that an object is; throws where the console cannot read it as one. */
function demand<K extends ConsoleKind>(kind: K, object: KubeObject): ResourceOf<K> {
  const { resource, problem } = readObject(kind, object);
  if (resource !== undefined) return resource;
  const { name } = object.metadata;
  throw new ConsoleError('unreadable_resource', {
    message: `Repair ${kind}/${name} with kubectl, or bring the console to the version of its CRD: ${problem}.`,
  });
}

function leavingMessage(kind: ConsoleKind, name: string): string {
  return `${kind}/${name} is being deleted. Repeat this when it is gone: kubectl describe tells what it waits for.`;
}

function isStatus(error: unknown, status: number): error is KubernetesError {
  return error instanceof KubernetesError && error.status === status;
}

/** Whether a resource is what was to be written of it. */
function isWritten(there: ResourceOf<ConsoleKind>, wanted: ResourceOf<ConsoleKind>): boolean {
  return isSame(there.spec, wanted.spec) && isSame(there.metadata.annotations ?? {}, wanted.metadata.annotations ?? {});
}

/** Whether two values are the same as they go over the wire. */
function isSame(a: object, b: object): boolean {
  const [left, right] = [a, b].map((value): unknown => JSON.parse(JSON.stringify(value)));
  return isDeepStrictEqual(left, right);
}
