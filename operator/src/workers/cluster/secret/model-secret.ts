import type { V1Secret } from '@kubernetes/client-node';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { WorkerTemplate } from '../../template.ts';
import { stamp } from '../objects/children.ts';
import type { Child } from '../objects/children.ts';
import { buildMetadata } from '../objects/metadata.ts';
import { sharedName } from '../names.ts';

/** Values of a Secret by key, decoded. */
export type SecretValues = Readonly<Record<string, string>>;

/**
 * Provides some values of the Secret of a model. Returns the existing values as long as they are usable, and new ones
 * otherwise. It is called often, and the Secret is written only if a value changes.
 */
export type SecretSource = (model: string, existing: SecretValues) => Promise<SecretValues> | SecretValues;

/** Thrown or returned if a value of the Secret of a model cannot be created. */
export class SecretError extends Error {}

/** The Secret of a model, as it is to be written. */
export interface ModelSecret {
  secret: Child;
  /** Why the Secret keeps earlier values. Undefined if all values are up to date. */
  problem: SecretError | undefined;
}

/**
 * Builds the Secret of a model from the values of all sources. Only the workers that serve this model mount it. A
 * changed value reaches running pods as a changed file and does not lead to another revision. If a source fails, its
 * earlier values stay, and the other sources still provide theirs. Throws if a source fails and there is no earlier
 * Secret.
 */
export async function buildModelSecret(
  owner: Pick<WorkerTemplate, 'model' | 'uid'>,
  live: KubeObject | undefined,
  sources: readonly SecretSource[],
): Promise<ModelSecret> {
  const existing = readSecret(live);
  const provided: Record<string, string> = {};
  let problem: SecretError | undefined;
  for (const source of sources) {
    try {
      Object.assign(provided, await source(owner.model, existing));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      problem ??= new SecretError(`a value for the Secret of the workers cannot be created: ${reason}`, { cause });
      // If there is no earlier Secret, none is written. Further sources are not called, because a password that they
      // create would be stored nowhere.
      if (live === undefined) throw problem;
    }
  }
  const values = problem === undefined ? provided : { ...existing, ...provided };
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: buildMetadata(owner, sharedName(owner.model)),
    type: 'Opaque',
    data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, encode(value)])),
  } satisfies V1Secret;
  return { secret: { type: TYPES.Secret, object: stamp(object) }, problem };
}

/** Returns the decoded values of a Secret. Empty if there is no Secret. */
export function readSecret(secret: KubeObject | undefined): SecretValues {
  const { data = {} } = (secret ?? {}) as Pick<V1Secret, 'data'>;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(value)]));
}

function encode(value: string): string {
  return Buffer.from(value, 'utf8').toString('base64');
}

function decode(value: string): string {
  return Buffer.from(value, 'base64').toString('utf8');
}
