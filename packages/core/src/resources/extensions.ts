/** What a schema says to Kubernetes beyond JSON Schema; the generator of the CRDs takes it over as it is. */

/** A rule that the API server checks in CEL. Where it concerns one version of a resource, rules.ts says the same. */
export interface CelRule {
  /** `self` is the value that carries the rule; a rule that names `oldSelf` is checked on changes only. */
  readonly rule: string;
  /** Told to whoever wrote the resource: what to do instead. */
  readonly message: string;
  /** The field the message is about, seen from the value that carries the rule. */
  readonly fieldPath?: string;
}

/** Rules of a value. */
export function rules(...celRules: CelRule[]) {
  return { 'x-kubernetes-validations': celRules };
}

/** A list whose items are told apart by one field, so that several writers can each own theirs. */
export function mapBy(field: string) {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [field] };
}

/** A list that one writer owns as a whole. */
export const ATOMIC_LIST = { 'x-kubernetes-list-type': 'atomic' };

/** An object that one writer owns as a whole. */
export const ATOMIC_MAP = { 'x-kubernetes-map-type': 'atomic' };

/** CEL for "exactly one of these fields is there". */
export function exactlyOneOf(fields: readonly string[]): string {
  return `[${fields.map((field) => `has(self.${field})`).join(', ')}].exists_one(there, there)`;
}
