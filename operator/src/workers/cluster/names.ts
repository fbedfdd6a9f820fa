import { createHash } from 'node:crypto';
import { API_GROUP } from '@svc-asr/core';

/** Labels and annotations of what the operator makes of an ASRModel. */
export const LABELS = {
  model: `${API_GROUP}/model`,
  revision: `${API_GROUP}/revision`,
  /** On a pod: whether it was chosen to go. */
  phase: `${API_GROUP}/phase`,
  name: 'app.kubernetes.io/name',
  component: 'app.kubernetes.io/component',
  partOf: 'app.kubernetes.io/part-of',
  managedBy: 'app.kubernetes.io/managed-by',
} as const;

export const ANNOTATIONS = {
  /** Hash of what was applied: another one means that something else is to be applied. */
  applied: `${API_GROUP}/applied`,
  /** On a pod: it was chosen to go, and why. */
  stopping: `${API_GROUP}/stopping`,
  deletionCost: 'controller.kubernetes.io/pod-deletion-cost',
} as const;

/** Values of the label of that name. A pod that has another than its template counts as chosen for its ReplicaSet, too. */
export const PHASES = { serving: 'Serving', leaving: 'Leaving' } as const;

export const MANAGER = 'svc-asr-operator';
export const PRODUCT = 'svc-asr';
export const COMPONENT = 'worker';

/** Selects every object that the operator makes for workers. */
export const CHILD_SELECTOR = `${LABELS.managedBy}=${MANAGER},${LABELS.component}=${COMPONENT}`;

/** Selects the pods of workers. */
export const POD_SELECTOR = `${LABELS.model},${LABELS.revision}`;

/** Names are DNS labels: they become labels, host names and parts of other names. */
const LONGEST_NAME = 63;
const DIGEST_CHARACTERS = 8;

/** The labels of an object that belongs to a model, and to one of its revisions where one is given. */
export function labelsOf(model: string, revision?: string): Record<string, string> {
  return {
    [LABELS.name]: 'svc-asr-worker',
    [LABELS.component]: COMPONENT,
    [LABELS.partOf]: PRODUCT,
    [LABELS.managedBy]: MANAGER,
    [LABELS.model]: model,
    ...(revision !== undefined && { [LABELS.revision]: revision }),
  };
}

/** The name of what a revision has: `MODEL-REVISION`, of which the model's part is cut where both are too long. */
export function revisionName(model: string, revision: string): string {
  return `${cut(model, LONGEST_NAME - revision.length - 1)}-${revision}`;
}

/** The name of what all revisions of a model share. The suffix keeps it apart from objects of other people. */
export function sharedName(model: string): string {
  const suffix = '-workers';
  if (model.length + suffix.length <= LONGEST_NAME) return model + suffix;
  const digest = createHash('sha256').update(model).digest('hex').slice(0, DIGEST_CHARACTERS);
  return `${cut(model, LONGEST_NAME - suffix.length - DIGEST_CHARACTERS - 1)}-${digest}${suffix}`;
}

function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/-+$/, '');
}
