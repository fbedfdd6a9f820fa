import type { KubeObject } from '@svc-asr/kubernetes';
import type { ObjectState } from './state.ts';

/**
 * Returns the name under which the source lists a duplicate, which is a model whose name belongs to a model of another
 * namespace. The returned name contains a slash, which names of Kubernetes objects cannot contain.
 */
export function duplicateKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

export function isDuplicateName(name: string): boolean {
  return name.includes('/');
}

/** Returns the parts of the name of a duplicate. */
export function splitDuplicate(duplicate: string): { namespace: string; name: string } {
  const slash = duplicate.indexOf('/');
  return { namespace: duplicate.slice(0, slash), name: duplicate.slice(slash + 1) };
}

/** Returns the state of a model whose name belongs to the model of another namespace. */
export function judgeDuplicate({ metadata }: KubeObject, owner: KubeObject | undefined): ObjectState {
  const { uid, generation, deletionTimestamp } = metadata;
  const message =
    `namespace "${owner?.metadata.namespace ?? ''}" already has a model of this name, and clients identify a model by ` +
    'its name: choose another name, or delete one of the two';
  return {
    good: undefined,
    problems: [{ field: 'metadata.name', message }],
    uid,
    generation,
    deleted: deletionTimestamp !== undefined,
  };
}
