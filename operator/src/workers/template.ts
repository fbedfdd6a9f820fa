import { createHash } from 'node:crypto';
import type { AsrModel } from '@svc-asr/core';

/** Everything that the workers of one revision of a model are created from. */
export interface WorkerTemplate {
  model: string;
  revision: string;
  artifact: AsrModel['spec']['artifact'];
  worker: AsrModel['spec']['worker'];
  /** Time that a worker has after SIGTERM to finish or hand over its streams. */
  drainSeconds: number;
  /** Time that pods may wait for a node and their volumes. */
  provisionSeconds: number;
  /** UID of the ASRModel. Undefined if the model comes from a file. */
  uid?: string;
}

/** Identifies a revision of a model. */
export type Revision = Pick<WorkerTemplate, 'model' | 'revision'>;

const DIGEST_CHARACTERS = 12;

/** Builds the template of a model. Its revision changes with the artifact and the worker settings only. */
export function buildTemplate({ metadata, spec }: AsrModel): WorkerTemplate {
  const { artifact, worker, drainSeconds } = spec;
  const { provisionSeconds } = spec.scaling;
  const { name, uid } = metadata;
  const revision = digestOf({ artifact, worker });
  return { model: name, revision, artifact, worker, drainSeconds, provisionSeconds, ...(uid !== undefined && { uid }) };
}

/** Returns a short digest of a value. The order of object keys does not change it. */
export function digestOf(value: unknown): string {
  const text = JSON.stringify(value, sortKeys);
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARACTERS);
}

function sortKeys(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
