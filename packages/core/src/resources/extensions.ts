/** Extensions of JSON Schema that Kubernetes defines. The CRD generator copies them unchanged. */

/**
 * A CEL rule that the API server checks. No API server checks resources that are read from files. For these resources,
 * the schemas and the functions in rules.ts check the same rules, except rules that use `oldSelf`.
 */
export interface CelRule {
  /**
   * Expression in which `self` is the value that carries the rule. A rule that uses `oldSelf` is checked only on
   * updates.
   */
  readonly rule: string;
  /** Message for the author of the resource. It includes what to do. */
  readonly message: string;
  /** Field to which the message refers, relative to the value that carries the rule. */
  readonly fieldPath?: string;
}

/** Attaches CEL rules to the schema of a value. */
export function rules(...celRules: CelRule[]) {
  return { 'x-kubernetes-validations': celRules };
}

/**
 * Marks a list as a map whose key is one field of the items, so that several writers can each own some of the items.
 */
export function mapBy(field: string) {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [field] };
}

/** Marks a list that one writer owns completely. Lists of two writers are not merged. */
export const ATOMIC_LIST = { 'x-kubernetes-list-type': 'atomic' };

/** Marks an object that one writer owns completely. Objects of two writers are not merged. */
export const ATOMIC_MAP = { 'x-kubernetes-map-type': 'atomic' };

/** Returns a CEL expression for "exactly one of these fields is set". */
export function exactlyOneOf(fields: readonly string[]): string {
  return `[${fields.map((field) => `has(self.${field})`).join(', ')}].exists_one(there, there)`;
}
