import type { ResourceType } from './objects.ts';

export interface PathParts {
  namespace: string;
  /** If absent, the path addresses all objects of the type. */
  name?: string;
  subresource?: string;
  /** Undefined values are omitted. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** Returns the path and query of objects of a type. The namespace has no effect if the type is cluster-scoped. */
export function buildPath({ group, version, plural, clusterScoped }: ResourceType, parts: PathParts): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = clusterScoped === true ? [] : ['namespaces', parts.namespace];
  const segments = [...scope, plural, parts.name, parts.subresource];
  const path = segments.flatMap((segment) => (segment === undefined ? [] : [encodeURIComponent(segment)])).join('/');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? `${root}/${path}` : `${root}/${path}?${query.toString()}`;
}
