import { API_GROUP } from '@svc-asr/core';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { StartFailure } from '../../runtime.ts';
import { LABELS, PRODUCT } from '../names.ts';
import type { Reflect } from '../objects/object-cache.ts';
import type { SecretReference } from './secret-references.ts';

/** Label of a Secret that models may use. Its value is a key of `SECRET_USES`. */
export const USABLE_LABEL = `${API_GROUP}/usable-by-models`;

/** Ways in which models may use a Secret, by the value of the Secret's label `asr.svc.dev/usable-by-models`. */
const SECRET_USES: Readonly<Record<string, readonly SecretReference['use'][]>> = {
  artifact: ['artifact'],
  true: ['artifact', 'env'],
};

/** For each use, the value of the label that allows this use and, if possible, no other. */
const LABEL_FOR: Readonly<Record<SecretReference['use'], string>> = { artifact: 'artifact', env: 'true' };

/** The Secrets of a namespace that models may use, as far as this operator has observed them. */
export interface UsableSecrets {
  /** Resolves when all labelled Secrets were listed. */
  start: () => Promise<void>;
  stop: () => void;
  /** Returns why one of the references is refused. Undefined if all Secrets may be used. */
  findRefusal: (references: readonly SecretReference[]) => StartFailure | undefined;
}

export interface UsableSecretsOptions {
  reflect: Reflect;
  namespace: string;
  /** Names of Secrets of the installation, which no model may use. */
  ownSecrets: readonly string[];
  /** Called when a labelled Secret, or the label of a Secret, has changed. */
  onChange: (name: string) => void;
}

/** Follows the Secrets with the label USABLE_LABEL. Only their metadata is read, never their values. */
export function createUsableSecrets({ reflect, namespace, ownSecrets, onChange }: UsableSecretsOptions): UsableSecrets {
  const reflector = reflect(TYPES.SecretMetadata, { labelSelector: USABLE_LABEL, onChange, trim: trimSecret });

  function explain({ name, use, field }: SecretReference): StartFailure | undefined {
    const { labels = {} } = reflector.get(name)?.metadata ?? {};
    if (ownSecrets.includes(name) || labels[LABELS.partOf] === PRODUCT) {
      const message = `Secret "${name}" (${field}) belongs to ${PRODUCT} itself, and no model may use it: name another Secret`;
      return { reason: 'SecretRefused', message };
    }
    if (SECRET_USES[labels[USABLE_LABEL] ?? '']?.includes(use) === true) return undefined;
    // The message is the same whether or not the Secret exists, so that it does not reveal which Secrets exist.
    const message =
      `Secret "${name}" (${field}) does not exist, or models may not use it. To allow it, run ` +
      `"kubectl -n ${namespace} label --overwrite secret ${name} ${USABLE_LABEL}=${LABEL_FOR[use]}"`;
    return { reason: 'SecretRefused', message };
  }

  return {
    start: () => reflector.start(),
    stop: () => reflector.stop(),
    findRefusal: (references) => {
      for (const reference of references) {
        const refusal = explain(reference);
        if (refusal !== undefined) return refusal;
      }
      return undefined;
    },
  };
}

/** Returns the part of a Secret that is kept in memory: its labels, and the fields that identify its version. */
export function trimSecret({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, uid, resourceVersion, labels } = metadata;
  const kept = { name, uid, resourceVersion, labels };
  return { apiVersion, kind, metadata: JSON.parse(JSON.stringify(kept)) as KubeObject['metadata'] };
}
