import type { ResourceType } from './objects.ts';

export interface PathParts {
  namespace: string;
  /** Name of the object. If omitted, the path addresses all objects of the type. */
  name?: string;
  subresource?: string;
  /** Query parameters. Those with an undefined value are omitted. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** Returns the path and query for objects of a type. If the type is cluster-scoped, the namespace is ignored. */
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
