import { createHash } from 'node:crypto';
import type { AsrModel } from '@svc-asr/core';

/** Everything that the workers of one revision of a model are created from. */
export interface WorkerTemplate {
  model: string;
  revision: string;
  artifact: AsrModel['spec']['artifact'];
  worker: AsrModel['spec']['worker'];
  /** Further models that the workers serve, sorted by name. Absent if there are none. */
  guests?: readonly GuestTemplate[];
  /** Time that a worker has after SIGTERM to finish or hand over its streams. */
  drainSeconds: number;
  /** Time that pods may wait for a node and their volumes. */
  provisionSeconds: number;
  /** UID of the ASRModel. Undefined if the model comes from a file. */
  uid?: string;
}

/** A model that the workers of another model serve. */
export interface GuestTemplate extends Pick<WorkerTemplate, 'model' | 'artifact'> {
  /** Slots of one worker for this model. With 0, workers measure them. */
  slots: number;
}

/** Identifies a revision of a model. */
export type Revision = Pick<WorkerTemplate, 'model' | 'revision'>;

const DIGEST_CHARACTERS = 12;

/**
 * Builds the template of a model. Its revision changes with the artifact, the worker settings and the guests only.
 */
export function buildTemplate({ metadata, spec }: AsrModel, guestModels: readonly AsrModel[] = []): WorkerTemplate {
  const { artifact, worker, drainSeconds } = spec;
  const { provisionSeconds } = spec.scaling;
  const { name, uid } = metadata;
  // Without guests the field is absent, so that the revisions of other models do not change.
  const guests = guestModels.length > 0 && { guests: guestModels.map(buildGuest).sort(byModel) };
  const revision = digestOf({ artifact, worker, ...guests });
  const times = { drainSeconds, provisionSeconds };
  return { model: name, revision, artifact, worker, ...guests, ...times, ...(uid !== undefined && { uid }) };
}

function buildGuest({ metadata, spec: { artifact, worker } }: AsrModel): GuestTemplate {
  return { model: metadata.name, artifact, slots: worker.slots };
}

function byModel(a: GuestTemplate, b: GuestTemplate): number {
  return a.model < b.model ? -1 : 1;
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
