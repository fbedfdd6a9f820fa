/** Returns every `$ref` in a document. */
export function findReferences(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [inner as string] : findReferences(inner)));
}

/** Returns the part of a document that a reference such as `#/components/x` names. Undefined if there is none. */
export function resolveReference(document: unknown, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
}
