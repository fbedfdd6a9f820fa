import { createHash } from 'node:crypto';
import { API_GROUP } from '@svc-asr/core';
import type { RevisionTier } from '../template.ts';

/** Labels of the objects that the operator creates for an ASRModel. */
export const LABELS = {
  model: `${API_GROUP}/model`,
  revision: `${API_GROUP}/revision`,
  tier: `${API_GROUP}/tier`,
  /** Phase of a pod, one of PHASES. */
  phase: `${API_GROUP}/phase`,
  /**
   * Set on a pod that fails although other pods of its revision work. Further pods of its model and tier avoid the node
   * of this pod.
   */
  sick: `${API_GROUP}/sick`,
  name: 'app.kubernetes.io/name',
  component: 'app.kubernetes.io/component',
  partOf: 'app.kubernetes.io/part-of',
  managedBy: 'app.kubernetes.io/managed-by',
} as const;

export const ANNOTATIONS = {
  /**
   * Digest of the object as it was applied. If the digest of the desired object differs, the object is applied again.
   */
  applied: `${API_GROUP}/applied`,
  /** Reason why a pod was selected for removal. */
  stopping: `${API_GROUP}/stopping`,
  deletionCost: 'controller.kubernetes.io/pod-deletion-cost',
} as const;

/**
 * Values of the label `phase`. The pod template has `Serving`. A pod that was selected for removal gets `Leaving`,
 * which makes the selection visible in the status of its ReplicaSet.
 */
export const PHASES = { serving: 'Serving', leaving: 'Leaving' } as const;

export const MANAGER = 'svc-asr-operator';
export const PRODUCT = 'svc-asr';
export const COMPONENT = 'worker';

/** Selects the objects that the operator creates for workers. See POD_SELECTOR for pods and ReplicaSets. */
export const CHILD_SELECTOR = `${LABELS.managedBy}=${MANAGER},${LABELS.component}=${COMPONENT}`;

/** Selects worker pods and their ReplicaSets. */
export const POD_SELECTOR = `${LABELS.model},${LABELS.revision}`;

/**
 * Maximum length of the names of objects for workers, which is the maximum length of a DNS label. Kubernetes uses these
 * names as label values and host names, and as parts of other names.
 */
const MAX_NAME_LENGTH = 63;
const DIGEST_CHARACTERS = 8;

/** Returns the labels of an object of a model, of one of its revisions, or of a tier of a revision. */
export function labelsOf(model: string, revision?: string, tier?: string): Record<string, string> {
  return {
    [LABELS.name]: 'svc-asr-worker',
    [LABELS.component]: COMPONENT,
    [LABELS.partOf]: PRODUCT,
    [LABELS.managedBy]: MANAGER,
    [LABELS.model]: model,
    ...(revision !== undefined && { [LABELS.revision]: revision }),
    ...(tier !== undefined && { [LABELS.tier]: tier }),
  };
}

/** Returns the labels that select the pods of a template. */
export function selectorOf({ model, revision, tier }: RevisionTier): Record<string, string> {
  const labels = { [LABELS.model]: model, [LABELS.revision]: revision };
  return tier === undefined ? labels : { ...labels, [LABELS.tier]: tier };
}

/**
 * Returns the name of the objects of a revision, `MODEL-REVISION`, or of a tier, `MODEL-REVISION-TIER`. The model's
 * part is truncated if the name is too long.
 */
export function revisionName(model: string, revision: string, tier?: string): string {
  const suffix = tier === undefined ? revision : `${revision}-${tier}`;
  return `${cut(model, MAX_NAME_LENGTH - suffix.length - 1)}-${suffix}`;
}

/** Returns the name of objects that all revisions of a model share. The suffix avoids clashes with other objects. */
export function sharedName(model: string): string {
  const suffix = '-workers';
  if (model.length + suffix.length <= MAX_NAME_LENGTH) return model + suffix;
  const digest = createHash('sha256').update(model).digest('hex').slice(0, DIGEST_CHARACTERS);
  return `${cut(model, MAX_NAME_LENGTH - suffix.length - DIGEST_CHARACTERS - 1)}-${digest}${suffix}`;
}

function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/-+$/, '');
}
