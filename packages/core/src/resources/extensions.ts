/** Kubernetes extensions of JSON Schema. The CRD generator copies them unchanged. */

/** A CEL rule that the API server checks. If the rule does not use `oldSelf`, rules.ts checks the same. */
export interface CelRule {
  /** `self` is the value that carries the rule. A rule that uses `oldSelf` is checked only on updates. */
  readonly rule: string;
  /** Message for the author of the resource. It states what to do. */
  readonly message: string;
  /** Field that the message refers to, relative to the value that carries the rule. */
  readonly fieldPath?: string;
}

/** Attaches CEL rules to a value. */
export function rules(...celRules: CelRule[]) {
  return { 'x-kubernetes-validations': celRules };
}

/** Marks a list as a map by one field, so that several writers can each own their items. */
export function mapBy(field: string) {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [field] };
}

/** Marks a list that one writer owns as a whole. */
export const ATOMIC_LIST = { 'x-kubernetes-list-type': 'atomic' };

/** Marks an object that one writer owns as a whole. */
export const ATOMIC_MAP = { 'x-kubernetes-map-type': 'atomic' };

/** Returns a CEL expression for "exactly one of these fields is set". */
export function exactlyOneOf(fields: readonly string[]): string {
  return `[${fields.map((field) => `has(self.${field})`).join(', ')}].exists_one(there, there)`;
}
