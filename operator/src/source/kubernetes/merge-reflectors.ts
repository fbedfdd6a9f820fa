import type { KubeObject } from '@svc-asr/kubernetes';
import type { Reflector } from '../../kubernetes/reflector.ts';
import { startAll } from '../../kubernetes/start-all.ts';
import { isHeld } from './finalizer.ts';

/**
 * Follows the objects of a kind in several namespaces. A name belongs to one object. Other objects with this name are
 * duplicates.
 */
export interface MergedReflector extends Reflector {
  /** Returns the duplicates of a name, which are all objects with this name except the one that `get` returns. */
  duplicates: (name: string) => KubeObject[];
  /** Returns whether all objects of the first namespace have been listed at least once. */
  firstSynced: () => boolean;
  /** Starts all reflectors. Resolves when all objects of all namespaces have been listed. */
  complete: () => Promise<void>;
}

/**
 * Combines reflectors, one for each namespace. Objects in two namespaces can have the same name. `get` and `list`
 * return only the one to which the name belongs (see `compareClaims`). `start` waits for the first namespace without
 * limit, and for the others at most `timeoutMs`, because one of them may have been deleted.
 */
export function mergeReflectors(reflectors: readonly Reflector[], timeoutMs: number): MergedReflector {
  const all = (name: string) => reflectors.flatMap((reflector) => reflector.get(name) ?? []).sort(compareClaims);
  const owner = (name: string) => (reflectors.length === 1 ? reflectors[0]?.get(name) : all(name)[0]);
  return {
    start: () =>
      startAll(
        reflectors.map((reflector) => () => reflector.start()),
        timeoutMs,
      ),
    stop: () => {
      for (const reflector of reflectors) reflector.stop();
    },
    synced: () => reflectors.every((reflector) => reflector.synced()),
    complete: async () => {
      await Promise.all(reflectors.map((reflector) => reflector.start()));
    },
    firstSynced: () => reflectors[0]?.synced() !== false,
    get: owner,
    list: () =>
      reflectors.flatMap((reflector) => reflector.list().filter((object) => owner(object.metadata.name) === object)),
    duplicates: (name) => (reflectors.length === 1 ? [] : all(name).slice(1)),
  };
}

/**
 * Orders objects of the same name by their claim to it. An object that has been applied keeps its name, even if a
 * namespace with an older object is added later. Of the other objects, the oldest gets the name.
 */
function compareClaims(a: KubeObject, b: KubeObject): number {
  const heldFirst = Number(isHeld(b)) - Number(isHeld(a));
  if (heldFirst !== 0) return heldFirst;
  return (
    compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
    compareText(a.metadata.uid, b.metadata.uid)
  );
}

function compareText(a = '', b = ''): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
